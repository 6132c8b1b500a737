-- expand, oldest release 1.0.0
--
-- The browser of a session, as it described itself at sign-in (User-Agent, its beginning). Null for sessions that began before this.

alter table console_session add column user_agent text check (length(user_agent) <= 512);
