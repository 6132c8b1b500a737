-- expand, oldest release 1.0.0
--
-- The words by which people in the console find an application, in a narrow table of their own: computed once, when it is stored, and untouched
-- when its status changes. Without a foreign key, which would cost each stored application more than its words: a trigger writes them for
-- every application that comes without, and another removes them with it.
create table application_words (
  program_id bigint not null,
  submit_time timestamptz not null,
  submit_seq bigint not null,
  words tsvector not null,
  primary key (program_id, submit_time, submit_seq)
);

-- The words of names: each that signs and spaces divide, and those of names in scripts without spaces (`unspaced_words`), which come between
-- U+0001. Texts of several names fold like each of them alone, because control characters take part in no folding.
create function words_of_names(of_program bigint, sign text, names text, unspaced text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  letters constant text :=
    '[\u0E01-\u0EFF\u0F40-\u0F6C\u1000-\u109F\u1100-\u115F\u1780-\u17B3\u3005-\u31FF\u3400-\uA4CF\uA960-\uA97C\U00020000-\U0003FFFF]';
  found text[] := '{}';
begin
  if names <> '' then
    found := regexp_split_to_array(search_form(names), '[\s!-/:-@\[-`{-~]+');
  end if;
  if unspaced <> '' then
    found := found || array(
      select substr(name, i)
      from unnest(string_to_array(regexp_replace(search_form(unspaced), '[\s!-/:-@\[-`{-~・·]+', '', 'g'), U&'\0001')) as name,
        generate_series(1, least(length(name), 60)) as i
      where substr(name, i, 1) ~ letters);
  end if;
  return array(select of_program || sign || left(word, 60) from unnest(found) as word where word <> '');
end $$;

-- What `applicant_words` makes of a snapshot, from what the service picks out of it (src/domain/questions/searched-texts.ts): words that only
-- need lower case, each in a line; then, after U+0002 each, the applicant's own name, other names, and both again as `unspaced`.
create function searched_words(of_program bigint, searched text) returns tsvector
language plpgsql immutable strict parallel safe as $$
declare
  parts text[];
begin
  if position(U&'\0002' in searched) = 0 then
    return array_to_tsvector(string_to_array(lower(searched), E'\n'));
  end if;
  parts := string_to_array(searched, U&'\0002');
  return array_to_tsvector(string_to_array(lower(parts[1]), E'\n')
    || words_of_names(of_program, '=', parts[2], parts[4]) || words_of_names(of_program, '/', parts[3], parts[5]));
end $$;

-- An application never lacks its words, whoever stores it: an earlier release brings none, and some texts are left to the database.
create function keep_words() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (
    select from application_words
    where program_id = new.program_id and submit_time = new.submit_time and submit_seq = new.submit_seq
  ) then
    insert into application_words (program_id, submit_time, submit_seq, words)
    values (new.program_id, new.submit_time, new.submit_seq, applicant_words(new.program_id, new.snapshot));
  end if;
  return null;
end $$;
-- Runs with the rights of the owner: no other role may attach it to a table.
revoke execute on function keep_words() from public;
create trigger application_keeps_words after insert on application
  for each row execute function keep_words();

-- CiviForm may rewrite answers later. The trigger names no column of theirs, whose storage an operator may change (OPERATIONS.md).
create function change_words() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.snapshot <> old.snapshot then
    insert into application_words as kept (program_id, submit_time, submit_seq, words)
    values (new.program_id, new.submit_time, new.submit_seq, applicant_words(new.program_id, new.snapshot))
    on conflict (program_id, submit_time, submit_seq) do update
    set words = excluded.words
    where kept.words <> excluded.words;
  end if;
  return null;
end $$;
revoke execute on function change_words() from public;
create trigger application_changes_words after update on application
  for each row when (new.followed) execute function change_words();

-- As before, and removes the words of what is removed.
create or replace function leave_tombstone() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gone record;
  drawn bigint;
begin
  for gone in
    select program_id, count(*) as applications, array_agg(application_id order by submit_seq) as ids, array_agg(submit_seq order by submit_seq) as seqs,
      array_agg(submit_time order by submit_seq) as times, array_agg(superseded_seq order by submit_seq) as superseded
    from removed
    group by program_id
    order by program_id
  loop
    drawn := draw_changes(gone.program_id, gone.applications);
    update submission_counter set erased = erased + gone.applications where program_id = gone.program_id;
    delete from application_words w
    using unnest(gone.seqs, gone.times) as r (seq, submit_time)
    where w.program_id = gone.program_id and w.submit_time = r.submit_time and w.submit_seq = r.seq;
    insert into erased_application (program_id, application_id, submit_seq, submit_time, change_seq)
    select gone.program_id, id, seq, submit_time, drawn - gone.applications + n
    from unnest(gone.ids, gone.seqs, gone.times) with ordinality as r (id, seq, submit_time, n);
    insert into erased_change (program_id, change_seq, application_id, happened_at)
    select gone.program_id, r.superseded_seq, r.id, r.submit_time
    from unnest(gone.ids, gone.superseded, gone.times) as r (id, superseded_seq, submit_time)
    where r.superseded_seq is not null
    and not exists (select from application a where a.program_id = gone.program_id and a.submit_seq = r.superseded_seq)
    and not exists (select from erased_application e where e.program_id = gone.program_id and e.submit_seq = r.superseded_seq)
    on conflict do nothing;
  end loop;
  return null;
end $$;

-- Writes the words of the next applications, after a program and number, that were stored before there was this table. Returns where it has come to;
-- null at the end. Begun again, it passes over what has its words. Each application is held until its words are there, so that one that
-- is removed meanwhile takes them along.
create function fill_application_words(after bigint[], applications integer) returns text
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  of_program constant bigint := coalesce(after[1], 0);
  seq constant bigint := coalesce(after[2], 0);
  last record;
begin
  select program_id, submit_seq into last
  from (
    select program_id, submit_seq
    from application
    where (program_id, submit_seq) > (of_program, seq)
    order by program_id, submit_seq
    limit applications
  ) next
  order by program_id desc, submit_seq desc
  limit 1;
  if not found then
    return null;
  end if;
  insert into application_words (program_id, submit_time, submit_seq, words)
  select program_id, submit_time, submit_seq, applicant_words(program_id, snapshot)
  from (
    select program_id, submit_time, submit_seq, snapshot
    from application a
    where (program_id, submit_seq) > (of_program, seq)
    and (program_id, submit_seq) <= (last.program_id, last.submit_seq)
    and not exists (
      select from application_words w
      where w.program_id = a.program_id and w.submit_time = a.submit_time and w.submit_seq = a.submit_seq)
    for key share
  ) unfilled
  on conflict do nothing;
  return array[last.program_id, last.submit_seq]::text;
end $$;
revoke execute on function fill_application_words(bigint[], integer) from public;
