// What README and EXPORT ask a client to do, done literally.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { seedPrograms } from '../scripts/seed-program/seed-programs.ts'
import { useDatabase, useExport, useFolder, useService } from './support/fixtures.ts'
import { pathWithJq } from './support/jq.ts'
import { createTestKey, type TestKey } from './support/keys.ts'
import { needs } from './support/needs.ts'
import { outputOf } from './support/run.ts'
import type { TestService } from './support/service.ts'

const slug = 'utility-assistance'
const address = `http://127.0.0.1:8080/api/v1/admin/programs/${slug}/applications`
const folder = await useFolder()
const PATH = await pathWithJq(folder)
const read = (name: string): Promise<string> => Bun.file(join(import.meta.dir, '..', name)).text()
const readme = await read('README.md')
const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(match => match[1]!)
const shellExamples = [...blocks(readme, 'sh'), ...blocks(await read('EXPORT.md'), 'sh')]

/** Runs the example that holds all of these words, against this service. */
async function example(service: TestService, key: TestKey, ...words: string[]): Promise<string> {
  const found = shellExamples.find(text => words.every(word => text.includes(word)))
  expect(found).toContain(address)
  const script = found!.replaceAll(address, address.replace('http://127.0.0.1:8080', service.baseUrl))
  const env = { PATH, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: key.password }
  // curl draws its progress on standard error, so that it is shown only where something failed.
  return outputOf(['sh', '-eu', '-c', script], { cwd: folder, env })
}

describe.skipIf(!needs('curl'))('README and EXPORT', () => {
  test('the first request is answered in the form that is shown', async () => {
    const demo = await useDatabase()
    const programs = [{ slug, applications: 3 }]
    const now = Date.parse('2026-06-01T12:00:00Z') * 1000
    await seedPrograms(demo.sql, { programs, now, timeZone: 'UTC', actor: 'operator:test' })
    const key = await createTestKey(demo.sql, { programs: [slug] })
    const answer = JSON.parse(await example(await useService(demo), key, 'curl -u', 'pageSize=1'))
    const shown = JSON.parse(blocks(readme, 'json')[0]!)
    expect(answer.payload).toHaveLength(1)
    /** Names and types, in their order; a value that may be null has either. */
    const form = (value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? Array.isArray(value)
        : Object.entries(value).map(([name, member]) => [name, form(member)])
    expect(form(answer.payload[0])).toEqual(form(shown.payload[0]))
    expect(Object.keys(answer)).toEqual(Object.keys(shown))
  })

  test('the shell loop pulls all pages: every application once, in order', async () => {
    const { service, key, ids } = await useExport({
      slug,
      applications: 53,
      textOf: i => `“answer” ${i}\n\\ \u0000`,
      config: { maxPageSize: 10 },
    })
    await example(service, key, 'while', 'jq')
    const lines = (await Bun.file(join(folder, 'applications.ndjson')).text()).trimEnd().split('\n')
    expect(lines.map(line => (JSON.parse(line) as { application_id: number }).application_id)).toEqual(ids)
  })
})
