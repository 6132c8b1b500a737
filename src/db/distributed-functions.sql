-- The settings of a distributed installation, and the functions that are other ones there. Applied again after each migration, which may have made
-- the ordinary ones again, and with the rights (scripts/migrate --roles), for a worker that was added.

-- In the database and not in sessions. On every node: triggers of a shard read and write what lies alongside it, and so do functions
-- within a statement that was sent there whole. On the coordinator: how long a transaction waits for locks is sent along with it.
do $$
declare
  statement text;
begin
  foreach statement in array array['citus.enable_unsafe_triggers = on', 'citus.allow_nested_distributed_execution = on'] loop
    statement := format('alter database %I set %s', current_database(), statement);
    execute statement;
    perform run_command_on_workers(statement);
  end loop;
  execute format('alter database %I set citus.propagate_set_commands = %L', current_database(), 'local');
end $$;

-- What statements on the workers call.
select create_distributed_function(signature)
from unnest(array[
  'just_after(timestamptz)', 'change_at(bigint, bigint)', 'require_change(bigint, bigint, timestamptz, bigint)', 'draw_changes(bigint, bigint)', 'may_follow(oid)',
  'search_form(text)', 'answer_member(text, text)', 'unspaced_words(text, text, text)', 'applicant_words(bigint, text)',
  'words_of_names(bigint, text, text, text)', 'searched_words(bigint, text)']::regprocedure[]) as signature;

-- Citus refuses to alter a sequence that a distributed table takes ids from. This alters nothing, so no other node needs to know. Not in a
-- migration: where Citus is not loaded, only a superuser may set what nobody declares.
alter function continue_history(text) set citus.enable_ddl_propagation = off;

-- These run on the coordinator, in a connection to the worker that is the caller's own, and not the owner's: it has to be the one that the rest
-- of the transaction takes. So a role that may draw has to have the right to change the counter (roles.sql). On one PostgreSQL they run as
-- the owner, and the roles have no such right.
alter function hold_changes(bigint) security invoker;
alter function draw_changes(bigint, bigint) security invoker;
