// What the documents ask a client to do, done literally.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { seedPrograms } from '../scripts/seed-program/seed-programs.ts'
import { blocks, documents } from './support/documents.ts'
import { endWithTest, useDatabase, useExport, useFolder, useService } from './support/fixtures.ts'
import { pathWithJq } from './support/jq.ts'
import { createTestKey, type TestKey } from './support/keys.ts'
import { needs } from './support/needs.ts'
import { outputOf } from './support/run.ts'
import type { TestService } from './support/service.ts'

const slug = 'utility-assistance'
const demoUrl = 'http://127.0.0.1:8080'
const folder = await useFolder()
const PATH = await pathWithJq(folder)
const [firstRequest] = blocks('README.md', 'sh')
const [shellLoop] = blocks('EXPORT.md', 'sh')
const intakeRequests = blocks('src/core/intake/INTAKE.md', 'sh')

/** What a script prints that is run as it is written, but for the service's address. */
async function follow(script: string, service: TestService, key: TestKey): Promise<string> {
  expect(script).toContain(demoUrl)
  const env = { PATH, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: key.password }
  const here = script.replaceAll(demoUrl, service.baseUrl)
  // curl draws its progress on standard error, so that it is shown only where something failed.
  return outputOf(['sh', '-eu', '-c', here], { cwd: folder, env })
}

/** As it is shown: `…` after members or items stands for more of them. */
const parseShown = (text: string): unknown =>
  JSON.parse(text.replaceAll(/,\s*…(?=\s*\])/g, '').replaceAll(/…(?=\s*\})/g, '"…": 0'))

/** Where a response differs from what is shown, in names, order or types. What is null on either side has any type. */
function differences(shown: unknown, real: unknown, path = ''): string[] {
  if (shown === null || real === null) return []
  if (typeof shown !== typeof real || Array.isArray(shown) !== Array.isArray(real)) return [path]
  if (Array.isArray(shown)) return shown.flatMap((item, i) => differences(item, (real as unknown[])[i], `${path}/${i}`))
  if (typeof shown !== 'object') return []
  const { '…': rest, ...members } = shown as Record<string, unknown>
  const names = Object.keys(members)
  const found = Object.keys(real as object)
  if (names.join() !== (rest === undefined ? found : found.slice(0, names.length)).join()) return [`${path}: ${found}`]
  return names.flatMap(name => differences(members[name], (real as Record<string, unknown>)[name], `${path}/${name}`))
}

/** The demo of scripts/start, small, and a key for one of its programs. */
async function useDemo(slug: string): Promise<[TestService, TestKey]> {
  const demo = await useDatabase({}, endWithTest)
  const programs = [{ slug, applications: 3 }]
  const now = Date.parse('2026-06-01T12:00:00Z') * 1000
  await seedPrograms(demo.sql, { programs, now, timeZone: 'UTC', actor: 'operator:test' })
  const key = await createTestKey(demo.sql, { programs: [slug], maySubmit: true })
  return [await useService(demo, {}, {}, endWithTest), key]
}

describe.skipIf(!needs('curl'))('README, EXPORT and INTAKE', () => {
  test('the first request is answered in the form that is shown', async () => {
    const answer = JSON.parse(await follow(firstRequest!, ...(await useDemo(slug))))
    expect(answer.payload).toHaveLength(1)
    expect(differences(parseShown(blocks('README.md', 'json')[0]!), answer)).toEqual([])
  })

  test('the shell loop pulls all pages: every application once, in order', async () => {
    const { service, key, ids } = await useExport({
      slug,
      applications: 53,
      textOf: i => `“answer” ${i}\n\\ \u0000`,
      config: { maxPageSize: 10 },
    })
    await follow(shellLoop!, service, key)
    const lines = (await Bun.file(join(folder, 'applications.ndjson')).text()).trimEnd().split('\n')
    expect(lines.map(line => (JSON.parse(line) as { application_id: number }).application_id)).toEqual(ids)
    const [, digest] = /`(jq \.application_id [^`]*)`/.exec(documents.get('EXPORT.md')!)!
    const printed = await outputOf(['sh', '-euc', digest!], { cwd: folder, env: { PATH } })
    const headers = { authorization: key.authorization }
    const ask = (rest: string) => fetch(`${service.baseUrl}/api/v1/admin/programs/${slug}/${rest}`, { headers })
    const walk = (await ask('applications?pageSize=1')).headers.get('Walk-Token')
    expect(await (await ask(`receipt?walk=${walk}`)).json()).toMatchObject({ sha256: printed.split(' ')[0] })
  })

  test('the four intake requests submit an application, with the responses that are shown', async () => {
    const shown = blocks('src/core/intake/INTAKE.md', 'json').map(parseShown)
    const printed = await follow(intakeRequests.join("printf '\\n\\f\\n'\n"), ...(await useDemo('child-care-subsidy')))
    const answers = printed.split('\f').map(text => JSON.parse(text) as unknown)
    expect(answers).toHaveLength(4)
    expect(shown.map((value, i) => differences(value, answers[i]))).toEqual([[], [], [], []])
  })
})

test('every block of shell commands is run by a test, or marked as an example', () => {
  // Those of OPERATIONS.md are run by tests/deploy/runbook.test.ts, which lists what it leaves out.
  const paths = [...documents.keys()].filter(path => path !== 'deploy/OPERATIONS.md')
  const unmarked = paths.flatMap(path => blocks(path, 'sh'))
  expect(unmarked.sort()).toEqual([firstRequest!, shellLoop!, ...intakeRequests].sort())
})
