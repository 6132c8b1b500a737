// Statements for the people of the console, their programs and their password links.

import { type Static, Type } from 'typebox'
import type { Micros } from '../../domain/values/offset-time.ts'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'
import { flag, integer, row, text, textOrNull, texts, timeOrNull } from '../row-schemas.ts'

export const personRow = row({
  person_id: integer,
  email: text,
  name: text,
  role: Type.Enum(['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR', 'INTERMEDIARY']),
  /** Name of an intermediary's organization. */
  organization: textOrNull,
  disabled_at: timeOrNull,
  last_signed_in_at: timeOrNull,
  /** Whether the person has a password. */
  has_password: flag,
  has_second_factor: flag,
  /** When the link for choosing one expires. */
  invited_until: timeOrNull,
  /** Slugs, in order. */
  programs: texts,
})
export type PersonRow = Static<typeof personRow>

/** The person of a session or token. */
export interface SignedInRow extends Pick<PersonRow, 'person_id' | 'email' | 'name' | 'role'> {
  program_ids: number[]
}

interface NewPerson {
  email: string
  email_folded: string
  name: string
  role: PersonRow['role']
  created_by: string
  /** Only for INTERMEDIARY. */
  intermediary_id?: number
}

/** Adds a person and returns its ID; undefined if the email address is taken. */
export async function insertPerson(tx: Transaction, person: NewPerson): Promise<number | undefined> {
  return findValue<number>(tx)`
    insert into person ${tx(person as unknown as Record<string, never>)}
    on conflict (email_folded) do nothing
    returning person_id`
}

/** Changes a person; false if it doesn't exist. */
export async function updatePerson(
  tx: Transaction,
  personId: number,
  { name, role }: Pick<NewPerson, 'name' | 'role'>,
): Promise<boolean> {
  const { count } = await tx`
    update person
    set name = ${name}, role = ${role}
    where person_id = ${personId}`
  return count === 1
}

/** Sets the time zone of a person's pages; false if the database doesn't know it. */
export async function updatePersonTimeZone(tx: Transaction, personId: number, zone: string | null): Promise<boolean> {
  const { count } = await tx`
    update person
    set time_zone = ${zone}
    where person_id = ${personId}
    and (${zone}::text is null or exists (select from pg_timezone_names where name = ${zone}))`
  return count === 1
}

/** Replaces a person's programs, and returns the slugs of programs that don't exist. */
export async function replacePersonPrograms(
  tx: Transaction,
  personId: number,
  slugs: readonly string[],
): Promise<string[]> {
  await tx`delete from person_program where person_id = ${personId}`
  const found = await tx<{ slug: string }[]>`
    with added as (
      insert into person_program (person_id, program_id)
      select ${personId}::bigint, program_id
      from program
      where slug = any(${slugs as string[]})
      returning program_id
    )
    select slug from program join added using (program_id)`
  const known = new Set(found.map(row => row.slug))
  return slugs.filter(slug => !known.has(slug))
}

/** Disables or enables a person; false if they don't exist or nothing changed. */
export async function updatePersonDisabled(
  tx: Transaction,
  personId: number,
  disabledBy: string | null,
): Promise<boolean> {
  const { count } = await tx`
    update person
    set disabled_at = ${disabledBy === null ? null : tx`clock_timestamp()`}, disabled_by = ${disabledBy}
    where person_id = ${personId}
    and (disabled_at is null) = ${disabledBy !== null}`
  return count === 1
}

/** Number of administrators who can sign in, locked so that two concurrent changes cannot remove the last. */
export async function countEnabledAdministrators(tx: Transaction): Promise<number> {
  const rows = await tx`
    select person_id
    from person
    where role = 'ADMINISTRATOR'
    and disabled_at is null
    order by person_id
    for update`
  return rows.length
}

/** Whether person `p` may sign in: neither they nor their organization is disabled. */
export const isEnabled = (db: Db) => db`
  p.disabled_at is null
  and not exists (
    select
    from intermediary m
    join intermediary_organization o using (organization_id)
    where m.intermediary_id = p.intermediary_id
    and (m.disabled_at is not null or o.disabled_at is not null)
  )`

const personColumns = (db: Db) => db`
  p.person_id, p.email, p.name, p.role, p.disabled_at, p.last_signed_in_at,
  (
    select o.name from intermediary m join intermediary_organization o using (organization_id)
    where m.intermediary_id = p.intermediary_id
  ) as organization,
  p.password_hash is not null as has_password,
  exists (select from second_factor f where f.person_id = p.person_id) as has_second_factor, i.expires_at as invited_until,
  array(
    select g.slug from person_program pp join program g using (program_id)
    where pp.person_id = p.person_id order by g.slug
  ) as programs`

/** Everyone, by name. */
export async function readPeople(db: Db): Promise<PersonRow[]> {
  return db<PersonRow[]>`
    select ${personColumns(db)}
    from person p
    left join invitation i using (person_id)
    order by p.disabled_at is not null, lower(p.name), p.person_id`
}

export async function findPerson(db: Db, personId: number): Promise<PersonRow | undefined> {
  return findRow<PersonRow>(db)`
    select ${personColumns(db)}
    from person p
    left join invitation i using (person_id)
    where p.person_id = ${personId}`
}

/** The same person, locked until the transaction ends, so that they cannot be disabled meanwhile. */
export async function lockPerson(tx: Transaction, personId: number): Promise<PersonRow | undefined> {
  await tx`select from person where person_id = ${personId} for update`
  return findPerson(tx, personId)
}

/** A person with the password hash that a sign-in is checked against. */
export interface PasswordRow {
  person_id: number
  email: string
  password_hash: string | null
}

/** The password hash for a sign-in; disabled people have none. */
export async function findPasswordHash(db: Db, emailFolded: string): Promise<PasswordRow | undefined> {
  return findRow<PasswordRow>(db)`
    select person_id, email, password_hash
    from person p
    where email_folded = ${emailFolded}
    and ${isEnabled(db)}`
}

/** Sets a password and invalidates the link for choosing one; false if the password was no longer `earlier`, if given. */
export async function updatePasswordHash(
  tx: Transaction,
  personId: number,
  passwordHash: string,
  earlier?: string,
): Promise<boolean> {
  const { count } = await tx`
    update person
    set password_hash = ${passwordHash}
    where person_id = ${personId}
    and ${earlier === undefined ? tx`true` : tx`password_hash = ${earlier}`}`
  await deleteInvitationOf(tx, personId)
  return count === 1
}

/** Invalidates a person's link, if there is one. */
export async function deleteInvitationOf(tx: Transaction, personId: number): Promise<void> {
  await tx`delete from invitation where person_id = ${personId}`
}

interface NewInvitation {
  person_id: number
  token_hash: Buffer
  created_at: Micros
  created_by: string
  expires_at: Micros
}

/** Creates a person's link and replaces an earlier one. */
export async function upsertInvitation(tx: Transaction, invitation: NewInvitation): Promise<void> {
  await tx`
    insert into invitation ${tx(invitation as unknown as Record<string, never>)}
    on conflict (person_id) do update
    set token_hash = excluded.token_hash, created_at = excluded.created_at, created_by = excluded.created_by,
      expires_at = excluded.expires_at`
}

/** The person with this link, if it is still valid. */
export async function findInvited(
  db: Db,
  tokenHash: Buffer,
  now: Micros,
): Promise<{ person_id: number; email: string; name: string } | undefined> {
  return findRow<{ person_id: number; email: string; name: string }>(db)`
    select p.person_id, p.email, p.name
    from invitation i
    join person p using (person_id)
    where i.token_hash = ${tokenHash}
    and i.expires_at > ${now}
    and ${isEnabled(db)}`
}

/** Invalidates a link; false if it was no longer valid. */
export async function deleteInvitation(tx: Transaction, tokenHash: Buffer): Promise<boolean> {
  const { count } = await tx`delete from invitation where token_hash = ${tokenHash}`
  return count === 1
}

/** The names of the people with these email addresses, by address. */
export async function readPersonNames(db: Db, emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await db<{ email: string; name: string }[]>`
    select email, name
    from person
    where email = any(${emails as string[]}::text[])`
  return new Map(rows.map(({ email, name }) => [email, name]))
}
