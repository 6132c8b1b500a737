// Statements for organizations that submit on behalf of applicants, and their people.

import type { Static } from 'typebox'
import { type Db, findRow, findValue, type Transaction } from '../client.ts'
import { integer, integerOrNull, row, text, timeOrNull } from '../row-schemas.ts'

export const organizationRow = row({
  organization_id: integer,
  name: text,
  name_folded: text,
  disabled_at: timeOrNull,
  /** Number of people who aren't disabled. */
  people: integer,
  /** Clients whose code its people have seen, because it was created in their sessions. */
  codes: integer,
})
export type OrganizationRow = Static<typeof organizationRow>

export const intermediaryRow = row({
  intermediary_id: integer,
  email: text,
  email_folded: text,
  disabled_at: timeOrNull,
  /** The console person they sign in as; null if they were not invited. */
  person_id: integerOrNull,
  /** Clients whose code they have seen, because it was created in their sessions. */
  codes: integer,
})
export type IntermediaryRow = Static<typeof intermediaryRow>

const organizationColumns = (db: Db) => db`
  o.organization_id, o.name, o.name_folded, o.disabled_at,
  (select count(*) from intermediary i where i.organization_id = o.organization_id and i.disabled_at is null) as people,
  (
    select count(*)
    from apply_code c
    join intermediary i using (intermediary_id)
    where i.organization_id = o.organization_id
  ) as codes`

const intermediaryColumns = (db: Db) => db`
  i.intermediary_id, i.email, i.email_folded, i.disabled_at,
  (select p.person_id from person p where p.intermediary_id = i.intermediary_id) as person_id,
  (select count(*) from apply_code c where c.intermediary_id = i.intermediary_id) as codes`

/** Organizations by name, after a folded name, whose name contains the search text; all of them for an empty text. */
export async function readOrganizations(
  db: Db,
  { search, after, rowsMax }: { search: string; after: string; rowsMax: number },
): Promise<OrganizationRow[]> {
  return db<OrganizationRow[]>`
    select ${organizationColumns(db)}
    from intermediary_organization o
    where o.name_folded > ${after}
    and strpos(o.name_folded, ${search}) > 0
    order by o.name_folded
    limit ${rowsMax}`
}

export async function findOrganization(db: Db, organizationId: number): Promise<OrganizationRow | undefined> {
  return findRow<OrganizationRow>(db)`
    select ${organizationColumns(db)}
    from intermediary_organization o
    where o.organization_id = ${organizationId}`
}

/** People of an organization by email address, after a folded one. */
export async function readIntermediaries(
  db: Db,
  organizationId: number,
  { after, rowsMax }: { after: string; rowsMax: number },
): Promise<IntermediaryRow[]> {
  return db<IntermediaryRow[]>`
    select ${intermediaryColumns(db)}
    from intermediary i
    where organization_id = ${organizationId}
    and email_folded > ${after}
    order by email_folded
    limit ${rowsMax}`
}

/** Adds an organization and returns its ID; undefined if the name is taken. */
export async function insertOrganization(
  tx: Transaction,
  organization: { name: string; name_folded: string; created_by: string },
): Promise<number | undefined> {
  return findValue<number>(tx)`
    insert into intermediary_organization (name, name_folded, created_by)
    values (${organization.name}, ${organization.name_folded}, ${organization.created_by})
    on conflict (name_folded) do nothing
    returning organization_id`
}

/** Renames an organization and returns its previous name; undefined if it does not exist. Throws a unique violation if the name is taken. */
export async function updateOrganizationName(
  tx: Transaction,
  organizationId: number,
  { name, name_folded }: { name: string; name_folded: string },
): Promise<string | undefined> {
  const [row] = await tx<{ name: string }[]>`
    select name
    from intermediary_organization
    where organization_id = ${organizationId}
    for no key update`
  await tx`
    update intermediary_organization
    set name = ${name}, name_folded = ${name_folded}
    where organization_id = ${organizationId}`
  return row?.name
}

/** Disables or enables an organization; false when nothing changed. */
export async function updateOrganizationDisabled(
  tx: Transaction,
  organizationId: number,
  disabledBy: string | null,
): Promise<boolean> {
  const { count } = await tx`
    update intermediary_organization
    set disabled_at = ${disabledBy === null ? null : tx`clock_timestamp()`}, disabled_by = ${disabledBy}
    where organization_id = ${organizationId}
    and (disabled_at is null) = ${disabledBy !== null}`
  return count === 1
}

/** Adds a person to an organization; false if they already belong to it. */
export async function insertIntermediary(
  tx: Transaction,
  intermediary: { organization_id: number; email: string; email_folded: string; created_by: string },
): Promise<boolean> {
  const { organization_id, email, email_folded, created_by } = intermediary
  const { count } = await tx`
    insert into intermediary (organization_id, email, email_folded, created_by)
    values (${organization_id}, ${email}, ${email_folded}, ${created_by})
    on conflict (organization_id, email_folded) do nothing`
  return count === 1
}

export async function findIntermediary(
  db: Db,
  organizationId: number,
  intermediaryId: number,
): Promise<IntermediaryRow | undefined> {
  return findRow<IntermediaryRow>(db)`
    select ${intermediaryColumns(db)}
    from intermediary i
    where organization_id = ${organizationId}
    and intermediary_id = ${intermediaryId}`
}

/** Disables or enables a person of an organization; false when nothing changed. */
export async function updateIntermediaryDisabled(
  tx: Transaction,
  intermediaryId: number,
  disabledBy: string | null,
): Promise<boolean> {
  const { count } = await tx`
    update intermediary
    set disabled_at = ${disabledBy === null ? null : tx`clock_timestamp()`}, disabled_by = ${disabledBy}
    where intermediary_id = ${intermediaryId}
    and (disabled_at is null) = ${disabledBy !== null}`
  return count === 1
}

/** An organization and a person named in a submission. */
export interface NamedIntermediary {
  /** Name of the organization, as administrators entered it. */
  name: string
  organization_disabled: boolean
  /** Null if the organization has no such person. */
  person_disabled: boolean | null
}

/** The organization with this folded name and its person with this folded email address; undefined if there is no such organization. */
export async function findNamedIntermediary(
  db: Db,
  { name_folded, email_folded }: { name_folded: string; email_folded: string },
): Promise<NamedIntermediary | undefined> {
  return findRow<NamedIntermediary>(db)`
    select o.name, o.disabled_at is not null as organization_disabled,
      case when i.intermediary_id is not null then i.disabled_at is not null end as person_disabled
    from intermediary_organization o
    left join intermediary i on i.organization_id = o.organization_id and i.email_folded = ${email_folded}
    where o.name_folded = ${name_folded}`
}

/** A person who applies for an organization's clients. */
export interface ActingIntermediary {
  intermediary_id: number
  /** As entered by an administrator. */
  email: string
  organization_id: number
  organization: string
}

/**
 * Locks the people of an organization, or one of them, until the transaction ends. Concurrent changes about them commit before, and `isActing` sees
 * the changes of this transaction afterwards.
 */
export async function holdIntermediaries(
  tx: Transaction,
  { organizationId, intermediaryId }: { organizationId: number; intermediaryId?: number },
): Promise<void> {
  await tx`
    select from intermediary
    where organization_id = ${organizationId}
    and intermediary_id = coalesce(${intermediaryId ?? null}, intermediary_id)
    order by intermediary_id
    for update`
}

/** Whether an intermediary and their organization are enabled. */
export async function isActing(db: Db, intermediaryId: number): Promise<boolean> {
  const rows = await db`
    select from intermediary i
    join intermediary_organization o using (organization_id)
    where i.intermediary_id = ${intermediaryId}
    and i.disabled_at is null
    and o.disabled_at is null`
  return rows.length === 1
}

/** The intermediary who signs in as this person. */
export async function findActingIntermediary(db: Db, personId: number): Promise<ActingIntermediary | undefined> {
  return findRow<ActingIntermediary>(db)`
    select i.intermediary_id, i.email, i.organization_id, o.name as organization
    from person p
    join intermediary i using (intermediary_id)
    join intermediary_organization o using (organization_id)
    where p.person_id = ${personId}`
}
