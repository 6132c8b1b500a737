-- Run once by the image of PostgreSQL, when its data folder is empty: the owner of the schema, who migrates, and a login each for
-- service, worker, console and follower, with the rights that src/db/roles.sql gives their groups. Passwords are those in the secret addresses.

\set ON_ERROR_STOP on
\set owner `sed -E 's#^[^:]+://[^:]+:([^@]+)@.*#\1#' /run/secrets/owner_database_url`
\set web `sed -E 's#^[^:]+://[^:]+:([^@]+)@.*#\1#' /run/secrets/web_database_url`
\set work `sed -E 's#^[^:]+://[^:]+:([^@]+)@.*#\1#' /run/secrets/work_database_url`
\set desk `sed -E 's#^[^:]+://[^:]+:([^@]+)@.*#\1#' /run/secrets/desk_database_url`
\set follow `sed -E 's#^[^:]+://[^:]+:([^@]+)@.*#\1#' /run/secrets/follow_database_url`

create role tributary_service nologin;
create role tributary_worker nologin;
create role tributary_console nologin;
create role tributary_follower nologin;
create role owner login password :'owner';
create role web login password :'web' in role tributary_service;
create role work login password :'work' in role tributary_worker;
create role desk login password :'desk' in role tributary_console;
create role follow login password :'follow' in role tributary_follower;
-- Through PgBouncer the processes cannot set it themselves.
alter role web set statement_timeout = '30s';
alter role work set statement_timeout = '30s';
alter role desk set statement_timeout = '30s';
create database tributary owner owner;
-- Whoever may create a large object can make the owner's dumps fail. Only a superuser can forbid it.
\connect tributary
revoke execute on function lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) from public;
