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

-- As before, with names in such scripts. All words of the applicant's own name, which is the first in the snapshot that is of no entity, are there
-- a second time with another sign, so that a search can begin with them. The release before looks for the words it knows, which are all here.
-- Functions carry their schema, because an index is restored without a search path.
create or replace function applicant_words(of_program bigint, snapshot text) returns tsvector
language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  answer text;
  found text[];
  word text;
  words text[] := '{}';
  -- Entities that are open; null once the applicant's own name was found.
  depth bigint := 0;
  is_own boolean;
begin
  foreach answer in array string_to_array(snapshot, '"question_type":"') loop
    found := case
      when answer ^@ 'NAME"' then regexp_split_to_array(public.search_form(
        public.answer_member(answer, 'first_name') || ' ' || public.answer_member(answer, 'middle_name') || ' ' || public.answer_member(answer, 'last_name')),
        '[\s!-/:-@\[-`{-~]+')
      when answer ^@ 'EMAIL"' then array[public.search_form(public.answer_member(answer, 'email'))]
      when answer ^@ 'PHONE"' then array[regexp_replace(public.answer_member(answer, 'phone_number'), '\D', '', 'g')]
    end;
    if found is not null then
      -- Nothing before U+0E01 becomes a letter of such a script.
      if answer ^@ 'NAME"' and answer ~ '[^\u0001-\u0E00]' then
        found := found
          || public.unspaced_words(public.answer_member(answer, 'first_name'), public.answer_member(answer, 'middle_name'), public.answer_member(answer, 'last_name'));
      end if;
      is_own := depth = 0 and answer ^@ 'NAME"';
      foreach word in array found loop
        continue when word = '';
        words := words || (of_program || '/' || left(word, 60));
        if is_own then
          words := words || (of_program || '=' || left(word, 60));
          depth := null;
        end if;
      end loop;
    end if;
    if depth is not null then
      depth := depth + cardinality(string_to_array(answer, '{"entity_name":')) - cardinality(string_to_array(answer, U&'\0001'));
    end if;
  end loop;
  return array_to_tsvector(words);
end $$;
