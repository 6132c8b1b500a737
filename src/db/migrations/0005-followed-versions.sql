-- expand, oldest release 1.0.0
--
-- Of a CiviForm that is followed: what changes with an application outside of its own row, and submissions whose time is yet to come.

-- Who manages the account of its applicant, and the row version of the applicant where that is shown. Null: not read yet.
alter table civiform_application add column joined_version text;

-- How many submissions lay ahead of its database's clock in the last round, and the newest of them by how many seconds.
alter table civiform_source add column ahead_applications bigint not null default 0;
alter table civiform_source add column ahead_seconds double precision not null default 0;

-- So that every application gets its version.
update civiform_source set scan_whole = true, scan_after = 0;
