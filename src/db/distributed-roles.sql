-- What the group roles of roles.sql need where applications are distributed; run before it. Citus sends no rights on columns to workers, so
-- there the roles get those on whole tables, and what roles.sql says is held by the coordinator, which is the only one they log in to. A login that
-- reads pages on a worker is given no more than SCALE.md says.

do $$
declare
  tables constant text := current_setting('tributary.distributed');
  everywhere constant text := current_setting('tributary.reference');
  roles constant text[] := array['tributary_console', 'tributary_service', 'tributary_worker', 'tributary_follower'];
  role_name text;
begin
  foreach role_name in array roles loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
  end loop;
  execute format('grant select, insert, update, delete on %s to tributary_console, tributary_service, tributary_worker', tables);
  execute format('grant select on %s to tributary_service, tributary_worker', everywhere);
  execute format('grant select, insert, update, delete on %s to tributary_console', everywhere);
end $$;

-- From here on the coordinator is meant alone.
select set_config('citus.enable_ddl_propagation', 'off', true);
