// `tributary types`, judged by the compiler: against a page as the service sends it, and against what a program must not take it for.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { ExportClient, type ExportPage } from '../../support/export-client.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { publish, q } from '../../support/programs.ts'
import { type Ended, run } from '../../support/run.ts'
import { callTool, runTool } from '../../support/tributary-tool.ts'

const root = join(import.meta.dir, '../../..')
const slug = 'utility-assistance'
const database = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(database.sql, {
  programs: [{ slug, applications: 60 }],
  now,
  timeZone: 'UTC',
  actor: 'test',
})
await publish(database.sql, {
  slug: 'wide',
  questions: Array.from({ length: 300 }, (_, n) =>
    q.address(`asked ${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))}`, { optional: true }),
  ),
})
const service = await useService(database)
const key = await createTestKey(database.sql, { programs: [slug, 'wide'] })
const folder = await useFolder()
const out = join(folder, 'utility-assistance.ts')
const args = ['types', service.baseUrl, '--program', slug]

test('a page from the service has the generated types, as do the applications of the typed client', async () => {
  expect(await callTool(key, [...args, '--out', out])).toEqual({ code: 0, out: '', err: '' })
  expect(readdirSync(folder)).toEqual(['utility-assistance.ts'])
  expect((await runTool(key, args)).out).toBe(readFileSync(out, 'utf8'))
  const payload = await new ExportClient(service, key, slug).walkAll()
  expect(payload).toHaveLength(60)
  writeFileSync(
    join(folder, 'page.ts'),
    `import type { Application } from './utility-assistance.ts'
    export const page: readonly Application[] = ${JSON.stringify(payload)}`,
  )
  writeFileSync(
    join(folder, 'reader.ts'),
    `import { TributaryClient } from ${JSON.stringify(join(root, 'src/clients/client/tributary-client.ts'))}
    import type { Application } from './utility-assistance.ts'
    export async function read(client: TributaryClient): Promise<void> {
      for await (const { application, submit_time, revision_state } of client.applications<Application>('${slug}')) {
        const first: string | null = application.applicant_name.first_name
        const jobs: readonly (string | null)[] = application.household_members.entities.flatMap(member => member.jobs.entities.map(job => job.employer.text))
        const pay: number | null = application.monthly_rent.currency_dollars
        const chosen: readonly string[] = application.utilities.selections
        if (revision_state === 'SOMETHING_NEW') console.log(first, jobs, pay, chosen, submit_time.length)
        // @ts-expect-error -- there is no such question
        application.applicant_nam
        // @ts-expect-error -- an amount is no text
        application.monthly_rent.currency_dollars?.length
        // @ts-expect-error -- it may not have been answered
        application.applicant_name.first_name.length
      }
    }`,
  )
  expect(await compile(folder, 'page.ts', 'reader.ts')).toMatchObject({ out: '', code: 0 })
})

test('with --fields, the generated types match a page of these questions and have no others', async () => {
  const own = await useFolder()
  const some = ['--fields', 'household_members.jobs, applicant_name']
  expect(await callTool(key, [...args, ...some, '--out', join(own, 'some.ts')])).toMatchObject({ code: 0, err: '' })
  const fields = 'applicant_name,household_members.jobs'
  const { payload } = (await (await new ExportClient(service, key, slug).request({ fields })).json()) as ExportPage
  expect(Object.keys(payload[0]!.application)).toEqual(['applicant_name', 'household_members'])
  writeFileSync(
    join(own, 'some-reader.ts'),
    `import type { Application } from './some.ts'
    export const page: readonly Application[] = ${JSON.stringify(payload)}
    export function read({ application }: Application): unknown[] {
      const jobs: readonly (string | null)[] = application.household_members.entities.flatMap(member => member.jobs.entities.map(job => job.employer.text))
      // @ts-expect-error -- it was not asked for
      return [jobs, application.applicant_name.first_name, application.monthly_rent]
    }`,
  )
  expect(await compile(own, 'some-reader.ts')).toMatchObject({ out: '', code: 0 })
})

test.each([
  ['a program that the key may not read', ['--program', 'another'], 1, '/api/v1/checkAuth'],
  ['a file that cannot be written', ['--out', '/no/such/types.ts'], 1, '/no/such/types.ts'],
  ['no program', ['--program', ''], 2, '--program'],
  ['an unknown question', ['--fields', 'applicant_nam'], 1, 'applicant_name'],
  ['a list with an empty item', ['--fields', 'a,,b'], 2, 'tributary types --help'],
])('an error in one sentence reports %s', async (_, more, code, said) => {
  expect(await callTool(key, [...args, ...more])).toMatchObject({ code, out: '', err: expect.stringContaining(said) })
})

describe('output into a pipe', () => {
  /** The tool as a process whose output goes through the pipe to a command of the shell. */
  const piped = async (reader: string, words: readonly string[]) => {
    const { out } = await callTool(key, ['types', service.baseUrl, '--program', 'wide'])
    expect(out.length).toBeGreaterThan(2 * 65_536)
    const env = { PATH: process.env.PATH, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: key.password }
    const line = `set -o pipefail; "$@" | ${reader}`
    const command = ['bash', '-c', line, 'bash', process.execPath, join(root, 'scripts/tributary.ts'), ...words]
    return { whole: out, ...(await run(command, { env })) }
  }
  const words = ['types', service.baseUrl, '--program', 'wide']

  test('a slow reader receives the complete output', async () => {
    const { whole, out, code } = await piped('{ sleep 1; cat; }', words)
    expect({ code, isWhole: out === whole }).toEqual({ code: 0, isWhole: true })
  })

  test('a command whose reader is gone fails', async () => {
    expect(await piped('head -c 1', words)).toMatchObject({ code: 1, err: expect.stringMatching(/standard output/i) })
    const lines = ['pull', service.baseUrl, '--program', slug, '--out', '-', '--quiet']
    expect(await piped('head -c 1', lines)).toMatchObject({ code: 1, err: expect.stringMatching(/standard output/i) })
  })
})

/** What the compiler says of these files. */
function compile(cwd: string, ...names: string[]): Promise<Ended> {
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2023', '--module', 'esnext']
  const more = [
    '--moduleResolution',
    'bundler',
    '--allowImportingTsExtensions',
    '--types',
    'bun-types',
    '--typeRoots',
    join(root, 'node_modules'),
  ]
  const files = names.map(name => join(cwd, name))
  return run([join(root, 'node_modules/.bin/tsc'), ...options, ...more, ...files], { cwd })
}
