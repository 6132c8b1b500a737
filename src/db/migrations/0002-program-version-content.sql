-- A program version holds all that an administrator may change, and knows what its edit was based on.

-- Display name and statuses are part of the version: an edit of them is a draft first, and gets a new program_version_id when
-- published. The program's own columns hold those of the newest published version (of the draft, before there is one).
alter table program_version
  add column display_name text check (display_name <> ''),
  add column statuses text[],
  -- The newest published version when this one was made; a draft whose program has published another since is out of date.
  add column based_on bigint references program_version;
update program_version v set display_name = p.display_name, statuses = p.statuses
from program p where p.program_id = v.program_id;
alter table program_version
  alter column display_name set not null,
  alter column statuses set not null;

-- The published version of the question that this one was made from, so that an edit never undoes another unseen.
alter table question_version add column based_on bigint references question_version;

create or replace function published_program_version_is_immutable() returns trigger
language plpgsql as $$
begin
  if old.state = 'DRAFT' then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'DELETE' or new.state = 'DRAFT' or (old.state = 'OBSOLETE' and new.state <> 'OBSOLETE')
     or (new.program_version_id, new.program_id, new.screens, new.display_name, new.statuses, new.based_on,
         new.created_at, new.created_by, new.published_at, new.published_by)
     is distinct from
     (old.program_version_id, old.program_id, old.screens, old.display_name, old.statuses, old.based_on,
      old.created_at, old.created_by, old.published_at, old.published_by) then
    raise exception 'a published program version is never changed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- A question that only ever stood in a draft goes with the draft, so that a mistyped name or kind is not taken for ever.
-- What a version uses is held by foreign keys; what a published version uses can thus never go.
drop trigger question_is_immutable on question;
create trigger question_is_immutable before update on question
  for each row execute function refuse_change();
drop trigger question_version_is_immutable on question_version;
create trigger question_version_is_immutable before update on question_version
  for each row execute function refuse_change();

-- Which versions use a question: asked at every publication, and by the foreign keys above.
create index program_version_question_by_question on program_version_question (question_id, question_version_id);
create index question_by_enumerator on question (enumerator_id) where enumerator_id is not null;
create index question_version_by_based_on on question_version (based_on) where based_on is not null;
create index program_version_by_based_on on program_version (based_on) where based_on is not null;
create index program_version_by_publication on program_version (program_id, published_at);
