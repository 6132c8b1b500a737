-- expand, oldest release 1.0.0
--
-- The time zone in which the console shows times to a person, as they chose it. Null: the instance's.

alter table person add column time_zone text check (length(time_zone) <= 64);
