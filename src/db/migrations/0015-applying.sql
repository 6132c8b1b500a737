-- expand, oldest release 1.0.0
--
-- Applicants' pages: the code with which an applicant comes back, and the sessions of browsers. They go with their applicant.

create table apply_code (
  applicant_id bigint primary key references applicant on delete cascade,
  -- HMAC-SHA256 under the pepper of API keys.
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  expires_at timestamptz not null
);
create index apply_code_by_expiry on apply_code (expires_at);

create table apply_session (
  -- SHA-256 of the token in the cookie.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  applicant_id bigint not null references applicant on delete cascade,
  -- The code, to be shown again in this session: encrypted under a key that only the cookie's token gives.
  sealed_code bytea not null,
  -- Whether the applicant has seen the code, or typed it.
  code_shown boolean not null,
  seen_at timestamptz not null
);
create index apply_session_by_applicant on apply_session (applicant_id);
create index apply_session_by_time on apply_session (seen_at);
