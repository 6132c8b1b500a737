-- expand, oldest release 1.0.0

-- Words of a name in a script that is written without spaces: from each letter on, so that a given name is found alone and after a family name,
-- in either order. The letters: Thai to Myanmar, Hangul as search_form divides it, Khmer, Kana, Han. The first 60 count.
create function unspaced_words(first_name text, middle_name text, last_name text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  letters constant text :=
    '[\u0E01-\u0EFF\u0F40-\u0F6C\u1000-\u109F\u1100-\u115F\u1780-\u17B3\u3005-\u31FF\u3400-\uA4CF\uA960-\uA97C\U00020000-\U0003FFFF]';
  words text[] := '{}';
  name text;
begin
  foreach name in array array[last_name || first_name, first_name || last_name, middle_name] loop
    name := regexp_replace(public.search_form(name), '[\s!-/:-@\[-`{-~・·]+', '', 'g');
    for i in 1..least(length(name), 60) loop
      if substr(name, i, 1) ~ letters then
        words := words || substr(name, i);
      end if;
    end loop;
  end loop;
  return words;
end $$;

-- As before, with names in such scripts. The applicant's own name is the first in the snapshot that is of no entity: its words have the sign `=` in
-- place of `/`, so that a search can begin with them. Functions carry their schema, because an index is restored without a search path.
create or replace function applicant_words(of_program bigint, snapshot text) returns tsvector
language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  -- The snapshot at its questions of a kind: what follows each.
  parts text[];
  answer text;
  found text[];
  word text;
  words text[] := '{}';
  -- Entities that are open; null once the applicant's own name was found.
  depth bigint := 0;
  sign text;
begin
  parts := string_to_array(snapshot, '"question_type":"NAME"');
  for i in 2..cardinality(parts) loop
    if depth is not null then
      depth := depth + cardinality(string_to_array(parts[i - 1], '{"entity_name":')) - cardinality(string_to_array(parts[i - 1], U&'\0001'));
    end if;
    sign := case depth when 0 then '=' else '/' end;
    answer := split_part(parts[i], '"question_type":"', 1);
    found := regexp_split_to_array(public.search_form(
      public.answer_member(answer, 'first_name') || ' ' || public.answer_member(answer, 'middle_name') || ' ' || public.answer_member(answer, 'last_name')),
      '[\s!-/:-@\[-`{-~]+');
    -- Nothing before U+0E01 becomes a letter of such a script.
    if octet_length(answer) > length(answer) and answer ~ '[^\u0001-\u0E00]' then
      found := found
        || public.unspaced_words(public.answer_member(answer, 'first_name'), public.answer_member(answer, 'middle_name'), public.answer_member(answer, 'last_name'));
    end if;
    foreach word in array found loop
      continue when word = '';
      words := words || (of_program || sign || left(word, 60));
      if sign = '=' then
        depth := null;
      end if;
    end loop;
  end loop;
  parts := string_to_array(snapshot, '"question_type":"EMAIL"');
  for i in 2..cardinality(parts) loop
    answer := split_part(parts[i], '"question_type":"', 1);
    words := words || (of_program || '/' || nullif(left(public.search_form(public.answer_member(answer, 'email')), 60), ''));
  end loop;
  parts := string_to_array(snapshot, '"question_type":"PHONE"');
  for i in 2..cardinality(parts) loop
    answer := split_part(parts[i], '"question_type":"', 1);
    words := words || (of_program || '/' || nullif(left(regexp_replace(public.answer_member(answer, 'phone_number'), '\D', '', 'g'), 60), ''));
  end loop;
  return array_to_tsvector(array_remove(words, null));
end $$;

-- What the release before is searching with: under both signs, so that it finds the same as ever.
create or replace function applicant_query(of_program bigint, sought text) returns tsquery
language sql immutable strict parallel safe
return case when sought ~ '^[-+()./\s\d]+$' then (
  select case when length(digits) > 3 then format('%1$s/%2$s:* | %1$s/1%2$s:* | %1$s=%2$s:* | %1$s=1%2$s:*', of_program, digits)::tsquery end
  from regexp_replace(sought, '\D', '', 'g') as digits)
else (
  select string_agg(format('(%L:* | %L:*)', of_program || '/' || left(word, 60), of_program || '=' || left(word, 60)), ' & ')::tsquery
  from regexp_split_to_table(replace(search_form(sought), '\', ' '), '\s+') as part,
    unnest(case when part like '%@%' then array[part] else regexp_split_to_array(part, '[\s!-/:-@\[-`{-~]+') end) as word
  where word <> '')
end;
