// Every operation of the service's OpenAPI document, with anything: no answer of 500, and every answer as the document says. Bounded in time:
// FUZZ_SECONDS (25 unless given); FUZZ_SEED repeats a run as far as time allows. scripts/fuzz runs it for longer.
// What was found is kept in corpus/, a file each, and tried first.

import { beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { noEntityEnd, renderMembers } from '../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { sampleAnswers } from '../../src/domain/samples/sample-answers.ts'
import { unlimited } from '../support/config.ts'
import { aPerson } from '../support/console.ts'
import { aToken } from '../support/console-api.ts'
import { endWithFile, useDatabase, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { endProcesses, startWorker } from '../support/processes.ts'
import { aProgram, everyKind, q } from '../support/programs.ts'
import { seed as runSeed } from '../support/random.ts'
import { type Case, type Credentials, Fuzzer } from './fuzzer.ts'
import { playStory } from './story.ts'

const seconds = Number(process.env.FUZZ_SECONDS ?? 25)
/** That of the run unless scripts/fuzz names another. */
const seed = Number(process.env.FUZZ_SEED ?? runSeed)
const corpus = join(import.meta.dir, 'corpus')

const database = await useDatabase()
const { sql } = database
const service = await useService(database, { ...unlimited, apply: true, maxPageSize: 50, responseTimeoutMs: 20_000 })
const slugs = ['fuzzed', 'fuzzed-too']
endWithFile(endProcesses)
let fuzzer: Fuzzer
let credentials: Credentials
/** How often each operation had succeeded before anything was left to chance. */
let meant: ReadonlyMap<string, number>

/** What the document leaves to people, and what is documented nowhere. */
const usual: Record<string, string | (string | number)[]> = {
  from_date: ['2020-01-01', '2026-01-31T09:30'],
  to_date: ['2030-01-01', '2100-12-31T00:00:00Z'],
  page_size: [1, 7],
  language: ['en', 'es-419'],
  name: ['A name', 'Another'],
  email: ['a@example.org', 'b@example.org', 'c@example.org'],
  allowed_subnets: ['0.0.0.0/0', '2001:db8::/32'],
  expires_at: ['90d', '1d'],
  front_end: 'front end of tests',
  fields: ['anything_else', 'household_member.member_job.monthly_pay', 'one_thing'],
  state: ['active', 'retired'],
  version: ['active', 'draft'],
  status: ['Approved', 'Denied'],
  address: '127.0.0.1',
}

/** Fresh ones: a case may well have retired or disabled those before. */
async function comeIn(seesLess = false): Promise<void> {
  // Such a key may not submit.
  const hiddenQuestions = seesLess ? ['home address', 'employer'] : []
  const key = await createTestKey(sql, {
    programs: slugs,
    maySubmit: !seesLess,
    mayAnnotate: true,
    hiddenQuestions,
  })
  const { token } = await aToken(sql, await aPerson(sql))
  credentials = { key: key.authorization, admin: `Bearer ${token}` }
}

/** What the story leaves out needs no more than what was sent before. What is read comes first, since others end what it is about. */
async function askForTheRest(): Promise<void> {
  const rest = () => fuzzer.operations.filter(({ name }) => !fuzzer.succeeded.has(name))
  for (let left = Number.POSITIVE_INFINITY; rest().length < left; ) {
    left = rest().length
    for (const operation of rest().toSorted((a, b) => Number(b.method === 'GET') - Number(a.method === 'GET'))) {
      // One may well have disabled who asked.
      await comeIn()
      const errors = await fuzzer.tryOne(operation)
      if (errors.length > 0) throw new Error(`${operation.name}: ${errors.join('\n')}`)
    }
  }
}

beforeAll(async () => {
  const optional = everyKind.map(spec => ({ ...spec, placement: { ...spec.placement, optional: true } }))
  // Two versions that ask in another order, one that asks less, and a worker that keeps what is derived of them.
  await startWorker(database)
  await aProgram(sql, { slug: slugs[0]!, questions: optional.slice(2).toReversed() })
  const { version } = await aProgram(sql, { slug: slugs[0]!, questions: optional })
  await aProgram(sql, { slug: slugs[1]!, questions: [q.text('one thing', { optional: true })] })
  await comeIn()
  fuzzer = await Fuzzer.open(service, () => credentials)
  for (const slug of slugs) fuzzer.learn('slug', slug)
  const answers = JSON.parse(`{${renderMembers(buildKeyMap([version]), sampleAnswers(version), noEntityEnd)}}`)
  fuzzer.learn('answers', answers)
  fuzzer.learn('answers', {})
  for (const [name, value] of Object.entries(usual)) for (const item of [value].flat()) fuzzer.learn(name, item)
  // Behind actions that succeeded: much that every later request can be about.
  for (const slug of slugs)
    await playStory(fuzzer, database, { slug, answers: slug === slugs[0] ? answers : { one_thing: { text: 'x' } } })
  await askForTheRest()
  meant = new Map(fuzzer.succeeded)
})

test('each operation of the document succeeded at least once', () => {
  const never = fuzzer.operations.map(({ name }) => name).filter(name => !meant.has(name))
  // One that takes more than values that were sent before gets a sentence in story.ts.
  expect(never).toEqual([])
})

describe('cases found by earlier runs', async () => {
  const files = (await readdir(corpus)).filter(name => name.endsWith('.json'))
  test('exist', () => expect(files.length).toBeGreaterThan(0))

  test.each(files.map(name => [name]))('no longer fail in %s', async name => {
    await comeIn()
    for (const sent of (await Bun.file(join(corpus, name)).json()) as Case[])
      expect(await fuzzer.judge(sent)).toEqual([])
  })
})

describe('the fuzz test', () => {
  const unknown: Case = { operation: 'GET /api/v1/checkAuth', parameters: {}, as: 'stranger' }

  test('detects an undocumented status, content type or body', async () => {
    await comeIn()
    const operation = fuzzer.operations.find(({ name }) => name === unknown.operation)!
    const { responses } = operation
    const said = async (changed: typeof responses, as: Case['as']) => {
      operation.responses = changed
      fuzzer.forgetChecks()
      const errors = await fuzzer.judge({ ...unknown, as })
      operation.responses = responses
      fuzzer.forgetChecks()
      return errors.join()
    }
    const { 401: refused, 200: fine } = responses
    expect(await said(responses, 'stranger')).toBe('')
    expect(await said({ 200: fine! }, 'stranger')).toContain('status 401 is not documented')
    const html = { content: { 'text/html': {} } }
    expect(await said({ 200: html, 401: refused! }, 'key')).toContain('type "application/json" is not documented')
    const closed = { content: { 'application/json': { schema: { properties: {}, additionalProperties: false } } } }
    expect(await said({ 200: closed, 401: refused! }, 'key')).toContain('additional properties')
  })

  test('detects a 500 response', async () => {
    await comeIn()
    await sql
      .unsafe(`
        create function refuse_applicant() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
        create trigger refuse_applicant before insert on applicant for each row execute function refuse_applicant()`)
      .simple()
    const body = { json: { language: 'en' } }
    const sent: Case = { operation: 'POST /intake/v1/applicants', parameters: {}, body, as: 'key' }
    const errors = await fuzzer.judge(sent)
    await sql.unsafe('drop function refuse_applicant cascade').simple()
    expect(errors).toEqual([expect.stringContaining('an answer of 500')])
    expect(await fuzzer.judge(sent)).toEqual([])
  })
})

test(
  `every operation responds as documented, whatever it is sent (seed ${seed})`,
  async () => {
    const endMs = performance.now() + seconds * 1000
    let cases = 0
    for (let round = 0; performance.now() < endMs; round++) {
      await comeIn(round % 2 === 1)
      await fc.assert(
        fc.asyncProperty(fuzzer.anyCase(), async sent => {
          if (performance.now() > endMs) return
          cases++
          const errors = await fuzzer.judge(sent)
          if (errors.length > 0) throw new Error(errors.join('\n'))
        }),
        { seed: seed + round, numRuns: 150, endOnFailure: false },
      )
    }
    const byChance = [...fuzzer.succeeded].filter(([name, times]) => times > (meant.get(name) ?? 0)).length
    console.log(
      `fuzz: ${cases} requests with seed ${seed}; ${byChance} of ${fuzzer.operations.length} succeeded by chance`,
    )
    console.log(`fuzz: answers by status ${JSON.stringify(fuzzer.statuses)}`)
    // That it is not all refused: most of what is tried lies behind something that succeeded.
    if (cases > 1000) expect(byChance).toBeGreaterThan(fuzzer.operations.length / 2)
  },
  seconds * 1000 + 120_000,
)
