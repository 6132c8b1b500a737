// Reads the applicants' own names in a few applications, to sort the applications by them. Names aren't indexed, so each application's text is
// read. `offset 0` makes PostgreSQL use the primary key, whatever its statistics say.

import type { Db } from '../client.ts'

/** A name as it is stored: with its JSON escapes, and with empty strings for parts that weren't answered. */
export interface StoredName {
  application_id: number
  first_name: string
  middle_name: string
  last_name: string
}

/** The program version of each of these applications. */
export async function readVersionsOf(
  db: Db,
  programId: number,
  applicationIds: readonly number[],
): Promise<{ application_id: number; program_version_id: number }[]> {
  return db<{ application_id: number; program_version_id: number }[]>`
    select asked.application_id, program_version_id
    from unnest(${applicationIds as number[]}::bigint[]) as asked (application_id)
    cross join lateral (
      select program_version_id
      from application
      where program_id = ${programId}
      and application_id = asked.application_id
      offset 0
    ) application`
}

/**
 * The answer in each application to a NAME question, by its key, if the question isn't repeated. A question repeated for entities may have the
 * same key: an answer is the application's own if as many entities end before it as begin, as in `applicant_words`.
 */
export async function readStoredNames(
  db: Db,
  programId: number,
  nameQuestions: readonly { application_id: number; question_key: string }[],
): Promise<StoredName[]> {
  const ids = nameQuestions.map(({ application_id }) => application_id)
  const marks = nameQuestions.map(({ question_key }) => `${JSON.stringify(question_key)}:{"question_type":"NAME"`)
  return db<StoredName[]>`
    select asked.application_id,
      answer_member(answer, 'first_name') as first_name,
      answer_member(answer, 'middle_name') as middle_name,
      answer_member(answer, 'last_name') as last_name
    from unnest(${ids}::bigint[], ${marks}::text[]) as asked (application_id, mark)
    cross join lateral (
      select snapshot
      from application
      where program_id = ${programId}
      and application_id = asked.application_id
      offset 0
    ) application
    cross join lateral (
      select split_part(part, '"question_type":"', 1) as answer
      from (
        select part, nth,
          sum(cardinality(string_to_array(part, '{"entity_name":')) - cardinality(string_to_array(part, U&'\\0001')))
            over (order by nth rows between unbounded preceding and 1 preceding) as depth
        from string_to_table(snapshot, asked.mark) with ordinality as piece (part, nth)
      ) piece
      where nth > 1
      and depth = 0
      limit 1
    ) own`
}
