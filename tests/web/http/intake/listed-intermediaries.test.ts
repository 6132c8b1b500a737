// Who may submit on behalf of applicants: any person, or with INTERMEDIARIES=listed only those whom the console lists.

import { beforeAll, describe, expect, test } from 'bun:test'
import {
  addIntermediary,
  addOrganization,
  renameOrganization,
  setIntermediaryDisabled,
  setOrganizationDisabled,
} from '../../../../src/core/people/intermediaries.ts'
import { useIntake } from '../../../support/fixtures.ts'
import { codesOf, type IntakeFixture } from '../../../support/intake-fixture.ts'
import { q } from '../../../support/programs.ts'

const questions = [q.text('plain', { optional: true })]
const by = { actor: 'operator:test', now: Date.now() * 1000 }
const submitterOf = (email: string, organization: string) => ({
  submitter: { type: 'TRUSTED_INTERMEDIARY', email, organization },
})

async function submitAs(intake: IntakeFixture, email: string, organization: string, key?: string, applicant?: number) {
  return intake.submit(applicant ?? (await intake.register()), key, submitterOf(email, organization))
}

describe('INTERMEDIARIES=any', () => {
  test('accepts an unlisted intermediary by its given name', async () => {
    const intake = await useIntake(questions, { intermediaries: 'any' })
    expect((await submitAs(intake, 'ti@example.org', 'Legal  aid')).status).toBe(201)
    expect((await intake.exported()).at(-1)).toMatchObject({
      ti_email: 'ti@example.org',
      ti_organization: 'Legal  aid',
    })
  })
})

describe('INTERMEDIARIES=listed', async () => {
  const intake = await useIntake(questions, { intermediaries: 'listed' })
  const { sql } = intake.database
  let aid: number
  let food: number
  const personOf = async (organization: number, email: string): Promise<number> => {
    const [row] = await sql<{ intermediary_id: number }[]>`
      select intermediary_id from intermediary where organization_id = ${organization} and email = ${email}`
    return row!.intermediary_id
  }

  beforeAll(async () => {
    aid = await addOrganization(sql, 'Legal Aid Straße', by)
    food = await addOrganization(sql, 'Food Bank', by)
    await addIntermediary(sql, aid, 'Bo@example.org', by)
    await addIntermediary(sql, aid, 'gone@example.org', by)
    await addIntermediary(sql, food, 'cy@example.org', by)
    const intermediaryId = await personOf(aid, 'gone@example.org')
    await setIntermediaryDisabled(sql, { organizationId: aid, intermediaryId }, true, by)
  })

  test('"Name of the intermediary\'s organization, as set in the Intermediaries admin panel": however a submission spells it', async () => {
    expect((await submitAs(intake, 'bo@EXAMPLE.org', ' LEGAL  aid STRAßE')).status).toBe(201)
    expect((await intake.exported()).at(-1)).toMatchObject({
      submitter_type: 'TRUSTED_INTERMEDIARY',
      ti_email: 'bo@EXAMPLE.org',
      ti_organization: 'Legal Aid Straße',
    })
  })

  test.each([
    ['an unknown organization', 'bo@example.org', 'Unlisted', '/submitter/organization', 'unknown_organization'],
    ['an unknown person', 'who@example.org', 'Food Bank', '/submitter/email', 'unknown_intermediary'],
    ['a person of another organization', 'bo@example.org', 'Food Bank', '/submitter/email', 'unknown_intermediary'],
    ['a disabled person', 'gone@example.org', 'Legal Aid Straße', '/submitter/email', 'intermediary_disabled'],
    [
      'a name that no database holds',
      'bo@example.org',
      'Food\0Bank',
      '/submitter/organization',
      'unknown_organization',
    ],
    ['an email that no database holds', 'cy\0@example.org', 'Food Bank', '/submitter/email', 'unknown_intermediary'],
  ])('refuses %s with 400, naming the field, and keeps what was saved', async (_, email, organization, path, code) => {
    const applicant = await intake.register()
    await intake.save(applicant, { plain: { text: 'kept' } })
    const before = (await intake.exported()).length
    const refused = await submitAs(intake, email, organization, 'one-key', applicant)
    expect([refused.status, codesOf(refused)]).toEqual([400, { [path]: code }])
    expect((await intake.exported()).length).toBe(before)
    // The same idempotency key is not used up.
    expect((await submitAs(intake, 'cy@example.org', 'Food Bank', 'one-key', applicant)).status).toBe(201)
    expect((await intake.exported()).at(-1)!.application).toMatchObject({ plain: { text: 'kept' } })
    await sql`delete from submission_request`
  })

  test('refuses a disabled organization, and accepts it again once enabled', async () => {
    await setOrganizationDisabled(sql, food, true, by)
    const refused = await submitAs(intake, 'cy@example.org', 'Food Bank')
    expect([refused.status, codesOf(refused)]).toEqual([400, { '/submitter/organization': 'organization_disabled' }])
    await setOrganizationDisabled(sql, food, false, by)
    expect((await submitAs(intake, 'cy@example.org', 'Food Bank')).status).toBe(201)
  })

  test('keeps the name of the submission after a rename, and a repetition returns the first receipt', async () => {
    const old = await addOrganization(sql, 'Old Name', by)
    await addIntermediary(sql, old, 'di@example.org', by)
    const applicant = await intake.register()
    const first = await submitAs(intake, 'di@example.org', 'old name', 'renamed', applicant)
    expect(first.status).toBe(201)
    await renameOrganization(sql, old, 'New Name', by)
    const again = await submitAs(intake, 'di@example.org', 'old name', 'renamed', applicant)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await intake.exported()).at(-1)!.ti_organization).toBe('Old Name')
    expect(codesOf(await submitAs(intake, 'di@example.org', 'Old Name'))).toEqual({
      '/submitter/organization': 'unknown_organization',
    })
    await submitAs(intake, 'di@example.org', 'new name')
    expect((await intake.exported()).at(-1)!.ti_organization).toBe('New Name')
  })

  test('accepts submissions by applicants without a list', async () => {
    expect((await intake.submit(await intake.register())).status).toBe(201)
  })
})
