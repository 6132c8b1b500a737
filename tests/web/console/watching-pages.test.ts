// Jobs in a real browser: progress without a reload, with scripts on and off.

import { describe, expect, test } from 'bun:test'
import { beginRun, finishRun, requestDerived } from '../../../src/db/derived/derived-status.ts'
import { openPage, useBrowser } from '../../support/browser.ts'
import { aPerson, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { aProgram } from '../../support/programs.ts'

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const database = await useDatabase()
  const { sql } = database
  const service = await useService(database)
  const { program_version_id } = await aProgram(sql, { slug: 'food' })
  const ada = await aPerson(sql, { name: 'Ada Administrator' })
  await sql`delete from outbox`
  const browser = await useBrowser()
  const signedIn = { email: ada.email, password: testPassword }

  test('jobs show their progress without a reload, and without scripts by reloading the page', async () => {
    const thing = { program_version_id, job_name: 'refresh-docs-example' }
    await requestDerived(sql, [thing])
    const { page, complaints } = await openPage(browser, service.baseUrl, signedIn)
    const plain = await openPage(browser, service.baseUrl, { ...signedIn, javaScriptEnabled: false })
    for (const { page: item } of [{ page }, plain]) {
      await item.goto('/admin/jobs')
      await item.locator('#progress[data-under-way=yes]').waitFor()
    }
    const all = await sql<{ program_version_id: number; job_name: string }[]>`
      select program_version_id, job_name from derived_status where state <> 'done'`
    for (const item of all) await finishRun(sql, item, (await beginRun(sql, item))!)
    await page.getByText('0 queued, 0 running, 0 failed').waitFor()
    await page.locator('#progress[data-under-way=no]').waitFor()
    await plain.page.reload()
    await plain.page.getByText('0 queued, 0 running, 0 failed').waitFor()
    expect(complaints).toEqual([])
  })
})
