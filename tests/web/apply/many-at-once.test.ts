// Two hundred people apply at the same time while clients export: nothing is lost, duplicated or mixed up.

import { expect, test } from 'bun:test'
import { parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'
import { Applicant } from '../../support/applicant.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const people = 200
const database = await useDatabase()
// Each has an address, behind a proxy.
const trustedProxies = [parseSubnet('127.0.0.0/8') as Subnet]
const service = await useService(database, { ...unlimited, apply: true, trustedProxies })
const { sql } = database
await aProgram(sql, {
  slug: 'crowd',
  screens: [{ questions: [q.text('nickname')] }, { questions: [q.enumerator('people', [q.text('their name')])] }],
})
const key = await createTestKey(sql, { programs: ['crowd'] })
const client = new ExportClient(service, key, 'crowd')

test('of many applicants at once, nothing is lost, duplicated or mixed up', async () => {
  const times: number[] = []
  let applying = true
  let walks = 0
  let refused = 0
  const exports = Array.from({ length: 3 }, async () => {
    for (; applying; walks++) await client.walkAll({ pageSize: '50' })
  })
  const numbers = await Promise.all(
    Array.from({ length: people }, async (_, i) => {
      const applicant = new Applicant(service, `10.0.${i >> 8}.${i & 255}`, ms => times.push(ms))
      // Where a limit refuses a request for now, the applicant sends it again from the same page.
      const patiently = async (send: () => Promise<unknown>): Promise<void> => {
        const { page } = applicant
        for (;;) {
          applicant.page = page
          await send()
          if (applicant.page.status !== 503) return
          refused++
          await Bun.sleep(500 + Math.random() * 500)
        }
      }
      await applicant.open('/apply/crowd/screens/1')
      await patiently(() => applicant.fill({ '/nickname/text': `person ${i}` }))
      await applicant.passCode()
      await patiently(() => applicant.fill({ '/people/entities/0/entity_name': `child of ${i}` }))
      await patiently(() => applicant.fill({ '/people/entities/0/their_name/text': `name ${i}` }))
      await patiently(() => Promise.all([applicant.submit(), applicant.submit()]))
      return Number(/data-application="(\d+)"/.exec(applicant.page.html)?.[1])
    }),
  )
  applying = false
  await Promise.all(exports)
  const made = await client.walkAll()
  expect(made.map(({ application_id }) => application_id).sort()).toEqual(numbers.sort())
  expect(made.map(({ revision_state }) => revision_state)).toEqual(made.map(() => 'CURRENT'))
  for (const { application } of made) {
    const i = String(application.nickname!.text).slice('person '.length)
    const [child, ...more] = (application.people as unknown as { entities: Record<string, unknown>[] }).entities
    expect(more).toEqual([])
    expect(child).toEqual({ entity_name: `child of ${i}`, their_name: { question_type: 'TEXT', text: `name ${i}` } })
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!)
  console.log(
    `${times.length} requests, ms: median ${at(0.5)}, p99 ${at(0.99)}; ${refused} sent again; ${walks} walks meanwhile`,
  )
  expect(walks).toBeGreaterThan(2)
}, 300_000)
