// What may happen to stored data without anything failing, done on purpose: the checks of a soak have to notice each.

import type { Soaked } from '../../scripts/soaking/final-checks.ts'
import { slug } from '../../scripts/soaking/installation/installation.ts'
import type { Sql } from '../../src/db/client.ts'
import { findProgram } from '../../src/db/programs/programs.ts'

interface Sabotage {
  name: string
  /** Of an application with a status, of another one, and of their program. */
  of(has: Victims): Disturbance
}

interface Victims {
  program: number
  application: number
  other: number
  /** A text somewhere in the first one's answers. */
  answer: string
}

const row = ({ program, application }: Victims): string => `program_id = ${program} and application_id = ${application}`
const rows = ({ program, application, other }: Victims): string =>
  `program_id = ${program} and application_id in (${application}, ${other})`
/** The first change of the application. */
const firstChange = (has: Victims): string =>
  `annotation_id = (select min(annotation_id) from application_annotation where ${row(has)})`

export const sabotages: readonly Sabotage[] = [
  {
    name: 'an answer replaced',
    of: has => ({
      table: 'application',
      key: 'application_id',
      where: row(has),
      statement: `update application set snapshot = replace(snapshot, '${has.answer}', 'Mallory') where ${row(has)}`,
    }),
  },
  {
    name: 'a status forged in its history',
    of: has => ({
      table: 'application_annotation',
      key: 'annotation_id',
      where: firstChange(has),
      statement: `update application_annotation set status = 'Forged' where ${firstChange(has)}`,
    }),
  },
  {
    name: 'a status forged where exports read it',
    of: has => ({
      table: 'application',
      key: 'application_id',
      where: row(has),
      statement: `update application set annotations = regexp_replace(annotations, '"(Received|Approved)"', '"Forged"') where ${row(has)}`,
    }),
  },
  {
    name: 'a row deleted',
    of: has => ({
      table: 'application',
      key: 'application_id',
      where: row(has),
      statement: `delete from application where ${row(has)}`,
    }),
  },
  {
    name: 'a text that does not parse',
    of: has => ({
      table: 'application',
      key: 'application_id',
      where: row(has),
      statement: `update application set snapshot = replace(snapshot, '"text":', '"text"') where ${row(has)}`,
    }),
  },
  {
    name: 'two texts swapped',
    of: has => ({
      table: 'application',
      key: 'application_id',
      where: rows(has),
      statement: `
        update application a set snapshot = b.snapshot from application b
        where a.program_id = ${has.program} and b.program_id = ${has.program} and a.application_id <> b.application_id
        and a.application_id in (${has.application}, ${has.other}) and b.application_id in (${has.application}, ${has.other})`,
    }),
  },
  {
    name: 'a change of status deleted',
    of: has => ({
      table: 'application_annotation',
      key: 'annotation_id',
      where: firstChange(has),
      statement: `delete from application_annotation where ${firstChange(has)}`,
    }),
  },
  {
    name: 'an event of the audit log deleted',
    of: () => ({
      table: 'audit_event',
      key: 'audit_event_id',
      where: `action = 'program_published'`,
      statement: `delete from audit_event where action = 'program_published'`,
    }),
  },
]

/** Carries it out as the database's owner; the returned function undoes it. */
export async function sabotage(
  { installation: { sql }, ledger }: Soaked,
  { of }: Sabotage,
): Promise<() => Promise<void>> {
  const { program_id } = (await findProgram(sql, slug))!
  const [application, other] = ledger.withStatus() as [number, number]
  const { soaked_town } = ledger.submissions.get(application)!.answers as { soaked_town: { text: string } }
  return disturb(sql, of({ program: program_id, application, other, answer: soaked_town.text }))
}

/** A change to some rows of a table. */
interface Disturbance {
  table: string
  /** A column that distinguishes its rows. */
  key: string
  /** Which rows. */
  where: string
  statement: string
}

/** Carries it out in spite of all triggers, as the database's owner. The returned function restores the rows. */
async function disturb(sql: Sql, { table, key, where, statement }: Disturbance): Promise<() => Promise<void>> {
  const kept = `${table}_undisturbed`
  const run = async (...statements: string[]): Promise<void> => {
    await sql.begin(async tx => {
      await tx`set local session_replication_role = replica`
      for (const statement of statements) await tx.unsafe(statement)
    })
  }
  await run(`create table ${kept} as select * from ${table} where ${where}`, statement)
  return () =>
    run(
      `delete from ${table} where ${key} in (select ${key} from ${kept})`,
      `insert into ${table} overriding system value select * from ${kept}`,
      `drop table ${kept}`,
    )
}
