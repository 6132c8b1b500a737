// Statements for publications in the background: requested, running and ended.

import { type Static, Type } from 'typebox'
import { type Db, findRow, readValue, type Transaction } from '../client.ts'
import { integer, orNull, row, text, time, timeOrNull } from '../row-schemas.ts'

/** Why nothing was published, like the fields of a Problem. */
const refusal = row({
  detail: text,
  errors: Type.Array(row({ path: Type.Optional(text), code: text, detail: text })),
})

export const publicationRow = row({
  publication_id: integer,
  program_version_id: Type.Integer({ description: 'ID of the draft, which is kept when it is published.' }),
  asked_at: time,
  asked_by: text,
  programs: Type.Integer({ description: 'Number of other programs that get a new version.' }),
  programs_done: Type.Integer({
    description: 'Number of those programs that are ready. All are published together when the publication ends.',
  }),
  ended_at: timeOrNull,
  refusal: orNull(refusal),
})
export type Publication = Static<typeof publicationRow>

/** A publication with everything needed to carry it out. */
export interface AskedPublication extends Publication {
  program_id: number
  slug: string
  move: string[]
  address: string | null
}

interface NewPublication
  extends Pick<AskedPublication, 'program_id' | 'program_version_id' | 'move' | 'asked_by' | 'programs'> {
  address: string | undefined
}

/** Records a publication unless one of this program is in progress; returns the ID of the new or existing one. */
export async function insertPublication(db: Db, publication: NewPublication): Promise<number> {
  return readValue<number>(db)`
    insert into publication (program_id, program_version_id, move, asked_by, address, programs)
    values (
      ${publication.program_id}, ${publication.program_version_id}, ${publication.move}::text[], ${publication.asked_by}, ${publication.address ?? null},
      ${publication.programs})
    on conflict (program_id) where ended_at is null do update
    set program_id = excluded.program_id
    returning publication_id`
}

export async function findPublication(db: Db, publicationId: number): Promise<AskedPublication | undefined> {
  return findRow<AskedPublication>(db)`
    select publication_id, program_version_id, asked_at, asked_by, programs, programs_done, ended_at, refusal, program_id, slug, move, address
    from publication
    join program using (program_id)
    where publication_id = ${publicationId}`
}

/** The program's publication in progress; undefined without one. */
export async function findPublicationUnderWay(db: Db, programId: number): Promise<number | undefined> {
  const [found] = await db<{ publication_id: number }[]>`
    select publication_id
    from publication
    where program_id = ${programId}
    and ended_at is null`
  return found?.publication_id
}

/** The unfinished publications, oldest first. */
export async function readPublicationsUnderWay(db: Db): Promise<number[]> {
  const rows = await db<{ publication_id: number }[]>`
    select publication_id
    from publication
    where ended_at is null
    order by publication_id`
  return rows.map(found => found.publication_id)
}

/** An arbitrary fixed number, the first of two. */
const publicationLockId = 731_904_255

/** Reserves a publication for this transaction; false if another transaction has it. Does not lock its row, whose progress is updated meanwhile. */
export async function takePublication(tx: Transaction, publicationId: number): Promise<boolean> {
  return readValue<boolean>(tx)`
    select pg_try_advisory_xact_lock(${publicationLockId}::integer, ${publicationId}::integer) as taken`
}

/** Records the progress of a publication, unless it has ended. */
export async function noteProgress(db: Db, publicationId: number, programsDone: number): Promise<void> {
  await db`
    update publication
    set programs_done = ${programsDone}
    where publication_id = ${publicationId}
    and ended_at is null`
}

export async function endPublication(db: Db, publicationId: number, refused: Publication['refusal']): Promise<void> {
  await db`
    update publication
    set ended_at = clock_timestamp(), refusal = ${refused === null ? null : JSON.stringify(refused)}::text::json,
      programs_done = case when ${refused === null} then programs else 0 end
    where publication_id = ${publicationId}
    and ended_at is null`
}
