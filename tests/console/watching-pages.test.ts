// Audit and jobs in a real browser: progress without a reload, with scripts on and off.

import { describe, expect, test } from 'bun:test'
import { beginRun, finishRun, requestDerived } from '../../src/db/derived/derived-status.ts'
import { openPage, useBrowser } from '../support/browser.ts'
import { aPerson, testPassword } from '../support/console.ts'
import { useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { aProgram } from '../support/programs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const { sql } = database
  const service = await useService(database)
  const { program_version_id } = await aProgram(sql, { slug: 'food' })
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  const key = await createTestKey(sql, { programs: ['food'], name: 'County caseworker sync' })
  await sql`
    insert into audit_event (actor, action, subject, address, detail)
    select ${`key:${key.api_key_id}`}, 'applications_exported', 'food', '192.0.2.17', jsonb_build_object('walk', n) || ${sql.json(
      {
        applications: 1000,
        applications_before: 0,
        after_micros: 0,
        after_seq: 0,
        last_micros: 1_767_225_600_000_000,
        last_seq: 1000,
        outcome: 'complete',
        a_very_long_name_that_has_no_space_anywhere_in_it_and_goes_on: 'x'.repeat(300),
      },
    )} from generate_series(1, 60) n`
  await sql`delete from outbox`
  const browser = await useBrowser()
  const signedIn = { email: ada.email, password: testPassword }

  test('jobs show how far they are without a reload, and without scripts by loading again', async () => {
    const thing = { program_version_id, job_name: 'refresh-docs-example' }
    await requestDerived(sql, [thing])
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    const plain = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    for (const { page: one } of [{ page }, plain]) {
      await one.goto('/admin/jobs')
      await one.locator('#progress[data-under-way=yes]').waitFor()
    }
    const all = await sql<{ program_version_id: number; job_name: string }[]>`
      select program_version_id, job_name from derived_status where state <> 'done'`
    for (const one of all) await finishRun(sql, one, (await beginRun(sql, one))!)
    await page.getByText('0 queued, 0 running, 0 failed').waitFor()
    await page.locator('#progress[data-under-way=no]').waitFor()
    await plain.page.reload()
    await plain.page.getByText('0 queued, 0 running, 0 failed').waitFor()
    expect(complaints).toEqual([])
  })

  test('the audit log is filtered and paged without scripts, by keyboard', async () => {
    const { page } = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    await page.goto('/admin/audit')
    await page.getByLabel('On what').focus()
    await page.keyboard.type('food')
    await page.keyboard.press('Enter')
    await page.waitForURL(/subject=food/)
    await page.getByRole('link', { name: 'Earlier' }).click()
    await page.waitForURL(/before=\d+/)
    expect(await page.getByLabel('On what').inputValue()).toBe('food')
    await page.getByRole('link', { name: 'Newest' }).waitFor()
  })
})
