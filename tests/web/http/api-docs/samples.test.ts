import { beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CodeSample, codeSamples } from '../../../../src/web/docs/code-samples/code-samples.ts'
import { type Fault, type FaultyProxy, useFaultyProxy } from '../../../support/faulty-proxy.ts'
import { useDatabase, useFolder, useService } from '../../../support/fixtures.ts'
import { pathWithJq } from '../../../support/jq.ts'
import { createTestKey } from '../../../support/keys.ts'
import { findNeeded, type Need, needs } from '../../../support/needs.ts'
import { insertRawApplications, insertRawProgram } from '../../../support/raw-applications.ts'
import { run } from '../../../support/run.ts'

const slug = 'sampled-program'
const pageSize = 7
const count = 45

const database = await useDatabase()
// What the proxy passes on comes from loopback; the base URL of the docs is the proxy's, see `sampleFor`.
const service = await useService(database, { maxPageSize: pageSize })
// One version, so that what is stored is what is sent.
const program = await insertRawProgram(database.sql, slug, { versions: 'one' })
// Of letters by chance, so that a page is as long as it seems even where it is sent compressed.
const noise = (length: number): string => randomBytes(length).toString('base64')
await insertRawApplications(
  database.sql,
  program,
  count,
  i => `answer ${i}: “ü” 🏳️‍🌈 \\ "quoted"\n\u0000${noise(i === 18 ? 400_000 : 300)}`,
)
const key = await createTestKey(database.sql, { programs: [slug] })
const directory = await useFolder()
const path = await pathWithJq(directory)
const rows = await database.sql<{ snapshot: string; annotations: string }[]>`
  select snapshot, annotations from application where program_id = ${program.program_id} order by submit_time, submit_seq`
/** Every application of the program, in the order of an export, as the database has it. */
const stored: unknown[] = rows.map(row => JSON.parse(`${row.snapshot}},${row.annotations},"revision_state":"CURRENT"}`))
expect(stored).toHaveLength(count)

/** The sample as the page of the program has it, for a service that is reached at `baseUrl`. */
async function sampleFor(id: string, baseUrl: string): Promise<CodeSample> {
  const docs = await fetch(`${baseUrl}/docs/api/programs/${slug}`, {
    headers: { Authorization: key.authorization, Accept: 'application/json' },
  })
  const { code_samples } = (await docs.json()) as { code_samples: CodeSample[] }
  return code_samples.find(sample => sample.id === id)!
}

interface Run {
  code: number
  err: string
  /** The lines of the file that was written; undefined when there is none. */
  written: unknown[] | undefined
}

let runs = 0

async function runSample(command: string[], sample: CodeSample, password = key.password): Promise<Run> {
  const folder = join(directory, String(++runs))
  await Bun.write(join(folder, sample.file_name), sample.code)
  const { code, err } = await run([...command, sample.file_name], {
    cwd: folder,
    env: { PATH: path, HOME: folder, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: password },
  })
  const text = await readFile(join(folder, `${slug}.ndjson`), 'utf8').catch(() => undefined)
  return {
    code,
    err,
    written: text
      ?.trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  }
}

/** By number of the request, the first being that for the docs. Every way to fail, some in a row, on first and last page too. */
const faults: readonly Fault[] = [
  'none',
  { status: 503, retryAfter: '0' },
  { cutAfterBytes: 900 },
  'none',
  { status: 429, retryAfter: '1' },
  'none',
  // The page that is longer than what the service sends at once, so that no length is known beforehand.
  { cutAfterBytes: 200_000 },
  'none',
  'hang up',
  // Within the head of the answer.
  { cutAfterBytes: 30 },
  'none',
  { status: 500, retryAfter: '0' },
  { status: 502, retryAfter: '0' },
  'none',
  'none',
  // The last page.
  { cutAfterBytes: 800 },
]

interface Language {
  id: string
  program: string
  wants: Need[]
  command: string[]
}

const all: Language[] = [
  { id: 'curl', program: 'sh', wants: ['curl'], command: ['sh'] },
  { id: 'python', program: 'python3', wants: ['python3'], command: ['python3'] },
  { id: 'r', program: 'Rscript', wants: ['r'], command: ['Rscript'] },
  { id: 'go', program: 'go', wants: ['go'], command: ['go', 'run'] },
  { id: 'java', program: 'java', wants: ['java'], command: ['java'] },
  {
    id: 'csharp',
    program: 'mono',
    wants: ['mono'],
    command: ['sh', '-c', 'mcs -r:System.Net.Http -out:sample.exe "$1" && exec mono sample.exe', 'sh'],
  },
  { id: 'typescript', program: 'bun', wants: [], command: [process.execPath] },
  { id: 'typescript', program: 'node', wants: ['node'], command: [findNeeded('node') ?? 'node'] },
]
const languages = all.filter(({ wants }) => needs(...wants))

test('a sample that is not tested here says so in the docs and in the sample', () => {
  const run = new Set(all.map(({ id }) => id))
  for (const { id, code, run_by_tests } of codeSamples('https://apply.example.gov', slug)) {
    expect({ id, run_by_tests }).toEqual({ id, run_by_tests: run.has(id) })
    // In a comment at its head.
    expect({ id, says: /^(#|\/\/) .*\btests\b/m.test(code) }).toEqual({ id, says: !run_by_tests })
  }
})

test('the Power Query table has every field of an application, typed numbers and times, and the answers last', () => {
  const { code } = codeSamples('https://apply.example.gov', slug).find(({ id }) => id === 'power-query')!
  const [application] = stored as Record<string, unknown>[]
  const columns = [...code.matchAll(/\{"(\w+)", ([\w. ]+)\}/g)].map(([, name, type]) => [name!, type!] as const)
  expect([...columns.map(([name]) => name), 'application'].sort()).toEqual(Object.keys(application!).sort())
  for (const [name, type] of columns) {
    const kind = name.endsWith('_time') ? 'type datetimezone' : name.endsWith('_id') ? 'Int64.Type' : 'type text'
    expect([name, type]).toEqual([name, kind])
  }
})

async function through<T>(faultOf: (n: number) => Fault, work: (proxy: FaultyProxy) => Promise<T>): Promise<T> {
  const proxy = await useFaultyProxy(service.port, faultOf)
  try {
    return await work(proxy)
  } finally {
    await proxy.stop()
  }
}

const exportThroughFaults = ({ id, command }: Language) =>
  through(
    n => faults[n] ?? 'none',
    async proxy => ({ ...(await runSample(command, await sampleFor(id, proxy.baseUrl))), requests: proxy.requests }),
  )

/** All at the same time, because mostly they wait. */
let outcomes: Map<Language, ReturnType<typeof exportThroughFaults>>
beforeAll(() => {
  outcomes = new Map(languages.map(language => [language, exportThroughFaults(language)]))
  // The test that awaits it reports a failure.
  for (const outcome of outcomes.values()) outcome.catch(() => {})
})

describe.each(languages)('the sample for $id, run by $program', language => {
  const { id, command } = language

  test('writes every application once and in order as in the database, despite errors and lost connections', async () => {
    const { code, err, written, requests } = await outcomes.get(language)!
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining(`Wrote ${count}`) })
    expect(written).toEqual(stored)
    // Every fault was met, and each page that failed was asked for again, with the same token.
    expect(requests.map(request => request.fault).slice(0, faults.length)).toEqual([...faults])
    expect(new Set(requests.slice(1).map(request => request.target)).size).toBe(Math.ceil(count / pageSize))
    for (const [i, { fault, target }] of requests.entries())
      if (i > 0 && fault !== 'none') expect(requests[i + 1]!.target).toBe(target)
    // Contract G6: what to ask for next time.
    expect(err).toMatch(/fromDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/)
  }, 60_000)

  test('stops immediately with the reason and without a file if the key is invalid', async () => {
    await through(
      () => 'none',
      async proxy => {
        const { code, err, written } = await runSample(command, await sampleFor(id, proxy.baseUrl), 'wrong')
        expect(code).not.toBe(0)
        expect(err).toContain('401')
        expect(err).toContain('request_id')
        expect(written).toBeUndefined()
        expect(proxy.requests).toHaveLength(2)
      },
    )
  })

  test('never puts a credential where other users of the machine can see it', async () => {
    const { code } = await sampleFor(id, service.baseUrl)
    expect(code).toContain('TRIBUTARY_PASSWORD')
    for (const secret of [key.password, key.username, key.apiSecretToken]) expect(code).not.toContain(secret)
  })
})
