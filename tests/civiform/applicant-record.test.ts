// What an export shows of an application and its own row does not hold: the applicant's record, and the organization that manages the account.

import { describe, expect, test } from 'bun:test'
import { useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { unlimited } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'

const program = 'rent relief'
const email: SimulatedQuestion = { name: 'email', type: 'EMAIL', tags: ['PRIMARY_APPLICANT_EMAIL'] }

async function followed(profile: 'contract' | 'origin') {
  const following = await useFollowing({ profile })
  const { civiform, catchUp, database, sql } = following
  await civiform.publish({ [program]: [email] })
  const organization = await civiform.organization('Harbor Clinic')
  const applicant = await civiform.applicant({ organization, columns: { email_address: 'before@example.org' } })
  const submitterEmail = profile === 'contract' ? 'ti@example.org' : undefined
  await civiform.submit({ applicant, program, answers: {}, ...(submitterEmail && { submitterEmail }) })
  await catchUp()
  const service = await useService(database, { ...unlimited, exportProfile: profile })
  const key = await createTestKey(sql, { programs: ['rent-relief'] })
  const client = new ExportClient(service, key, 'rent-relief')
  // biome-ignore lint/suspicious/noExplicitAny: an export, to look into
  const shown = async (): Promise<any[]> => {
    const { payload } = JSON.parse(await (await client.request({})).text())
    return [payload[0].ti_organization, payload[0].application.email.email]
  }
  return { ...following, applicant, shown }
}

describe('applicant records', () => {
  test('in the profile origin, the next comparison applies a change to the applicant’s record', async () => {
    const { civiform, catchUp, applicant, shown } = await followed('origin')
    expect(await shown()).toEqual(['Harbor Clinic', 'before@example.org'])
    await civiform.app`update applicants set email_address = 'after@example.org' where id = ${applicant}`
    await catchUp()
    expect(await shown()).toEqual(['Harbor Clinic', 'after@example.org'])
  })
  test.each(['contract', 'origin'] as const)(
    'in the profile %s, the next comparison applies an account’s move to another organization',
    async profile => {
      const { civiform, catchUp, applicant, shown } = await followed(profile)
      const other = await civiform.organization('Other Clinic')
      await civiform.app`
      update accounts set managed_by_group_id = ${other} where id = (select account_id from applicants where id = ${applicant})`
      await catchUp()
      expect((await shown())[0]).toBe('Other Clinic')
    },
  )
})

test('a role that cannot read xmin of applicants finds a changed applicant record when everything is read in full', async () => {
  const { civiform, catchUp, applicant, shown, sql, restarted } = await followed('origin')
  const { reader } = civiform.database
  await civiform.app.unsafe(`revoke select (xmin) on applicants from ${reader}`)
  const follower = restarted()
  await catchUp(follower)
  await civiform.app`update applicants set email_address = 'after@example.org' where id = ${applicant}`
  await catchUp(follower)
  expect((await shown())[1]).toBe('before@example.org')
  await sql`update civiform_source set scan_whole = true, scan_after = 0`
  await catchUp(follower)
  expect((await shown())[1]).toBe('after@example.org')
})
