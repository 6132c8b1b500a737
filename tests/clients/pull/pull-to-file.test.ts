// `tributary pull` into a file of lines, against the real service: whole or not there, whatever happens on the way.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { TributaryClient } from '../../../src/clients/client/tributary-client.ts'
import { parsePull } from '../../../src/clients/pull/command-line.ts'
import { formatOf } from '../../../src/clients/pull/formats/output-formats.ts'
import { pullToFile } from '../../../src/clients/pull/pull-to-file.ts'
import type { PullProgress } from '../../../src/clients/pull/requests/pull-request.ts'
import { editApiKey } from '../../../src/core/keys/api-keys.ts'
import { integerFrom, pick, seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { useAlteredService } from '../../support/altered-service.ts'
import { unlimited } from '../../support/config.ts'
import { type Fault, useFaultyProxy } from '../../support/faulty-proxy.ts'
import { useDatabase, useExport, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { endOf } from '../../support/run.ts'
import { callTool, type RunningTool, runTool, startTool } from '../../support/tributary-tool.ts'
import { until } from '../../support/until.ts'

const next = seededRandom(4711)
const letters = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(integerFrom(next, 0x20, 0x2fff))).join('')
const { service, key, slug, ids, client } = await useExport({
  applications: 240,
  textOf: i => `“${i}” \n ${letters((i * 97) % 700)}`,
  config: unlimited,
})
const folder = await useFolder()
let files = 0
const newFile = (): string => join(folder, `${++files}.ndjson`)

const proxied = (faultOf: (n: number, target: string) => Fault) => useFaultyProxy(service.port, faultOf)
const argsOf = (out: string, baseUrl = service.baseUrl, ...more: string[]): string[] => [
  ...['pull', baseUrl, '--program', slug, '--out', out, '--page-size', '12', '--checkpoint', '0'],
  ...more,
]
const pull = (out: string, baseUrl?: string, ...more: string[]) => callTool(key, argsOf(out, baseUrl, ...more))
const idsIn = (file: string): number[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => (JSON.parse(line) as { application_id: number }).application_id)

const whole = newFile()
// As people run it; what the options do is asked of the function that this process calls.
const first = await runTool(key, argsOf(whole))
const pulledIds = [...ids]
const sha256OfIds = createHash('sha256')
  .update(pulledIds.map(id => `${id}\n`).join(''))
  .digest('hex')

describe('a pull', () => {
  test('has every application once, in order, as the service sends it, and leaves only its state beside the file', async () => {
    expect(first).toMatchObject({ code: 0, out: '' })
    expect(first.err).toContain(`Pulled 240 applications into ${whole}.`)
    expect(first.err).toContain(sha256OfIds)
    const sent = await client.walkAll({ pageSize: '1000' })
    expect(
      readFileSync(whole, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map(line => JSON.parse(line)),
    ).toEqual(sent)
    expect(
      readdirSync(folder)
        .filter(name => name.startsWith('1.'))
        .sort(),
    ).toEqual(['1.ndjson', '1.ndjson.pull'])
  })

  test('is readable only by the account that pulled', () => {
    for (const file of [whole, `${whole}.pull`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('has the same lines with the format’s other file extension', async () => {
    const out = join(folder, 'other.jsonl')
    expect(await pull(out)).toMatchObject({ code: 0 })
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
    expect(await callTool(key, ['verify', out])).toMatchObject({ code: 0 })
  })

  test('has only the applications that its filters select', async () => {
    const out = newFile()
    expect(
      await pull(out, undefined, '--from', '2023-11-14T22:13:30Z', '--before', '2023-11-14T22:13:40Z'),
    ).toMatchObject({ code: 0 })
    expect(idsIn(out)).toEqual(pulledIds.slice(10, 20))
    expect(await pull(newFile(), undefined, '--revision', 'OBSOLETE')).toMatchObject({ code: 0 })
    const applicants = newFile()
    expect(await pull(applicants, undefined, '--submitter-type', 'APPLICANT')).toMatchObject({ code: 0 })
    expect(idsIn(applicants)).toEqual(pulledIds)
    // What the output is of never changes.
    expect(await pull(applicants, undefined, '--since-last')).toMatchObject({ code: 2 })
    expect(await pull(applicants, undefined, '--since-last', '--submitter-type', 'APPLICANT')).toMatchObject({
      code: 0,
    })
    expect(await pull(newFile(), undefined, '--submitter-type', 'DESK')).toMatchObject({ code: 2 })
  })
})

// PULL_INTERRUPTIONS=50 is for those who change how a pull continues; each costs the start of a process.
const interruptions = Number(process.env.PULL_INTERRUPTIONS ?? 12)

test(`a pull killed ${interruptions} times at random, with cuts, 429 and 503, results in the same file to the byte`, async () => {
  const out = newFile()
  let running: RunningTool | undefined
  let killAt = Number.POSITIVE_INFINITY
  let requests = 0
  const proxy = await proxied(() => {
    if (++requests === killAt) setTimeout(() => running?.kill('SIGKILL'), integerFrom(next, 0, 12))
    return pick<() => Fault>(next, [
      ...Array.from({ length: 6 }, () => () => 'none' as const),
      () => ({ status: 503, retryAfter: '0' }),
      () => ({ status: 429, retryAfter: '0' }),
      () => ({ cutAfterBytes: integerFrom(next, 0, 9000) }),
      () => 'hang up' as const,
    ])()
  })
  // More pages than all of these runs can pull.
  const args = [...argsOf(out, proxy.baseUrl), '--page-size', String(Math.floor(240 / (3 * interruptions + 1)))]
  for (let run = 0; run < interruptions; run++) {
    // The docs are asked for once; the first request of a later run continues with the walk.
    requests = 0
    killAt = integerFrom(next, 1, 3)
    running = startTool(key, args)
    await endOf(running)
    expect(running.signalCode).toBe('SIGKILL')
    expect(existsSync(out)).toBe(false)
  }
  killAt = Number.POSITIVE_INFINITY
  expect(await callTool(key, args)).toMatchObject({ code: 0 })
  expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
  expect(await callTool(key, ['verify', out])).toMatchObject({ code: 0 })
}, 240_000)

describe('an interrupted pull', () => {
  test('explains that a signal ended it, exits with 3, and continues with the next page in the next run', async () => {
    const out = newFile()
    let running: RunningTool | undefined
    const proxy = await proxied(n => {
      if (n !== 5) return 'none'
      running?.kill('SIGINT')
      return { silentAfterBytes: 500 }
    })
    running = startTool(key, argsOf(out, proxy.baseUrl))
    expect(await endOf(running)).toMatchObject({ code: 3, err: expect.stringMatching(/^[^\n]+\n$/) })
    expect(existsSync(out)).toBe(false)
    const before = proxy.requests.length
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 0 })
    expect(proxy.requests[before - 1]!.target).toStartWith(proxy.requests[before]!.target)
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
  })

  test('puts its completed file in place in the next run, without any request', async () => {
    const out = newFile()
    const proxy = await proxied((_, target) => {
      if (target.includes('/receipt')) mkdirSync(join(out, 'in the way'), { recursive: true })
      return 'none'
    })
    const { code, err } = await pull(out, proxy.baseUrl)
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(out) })
    rmSync(out, { recursive: true })
    const asked = proxy.requests.length
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 0 })
    expect(proxy.requests).toHaveLength(asked)
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
  })

  test('cannot continue with other options without --restart', async () => {
    const out = newFile()
    const proxy = await proxied(n => (n < 8 ? 'none' : { status: 400 }))
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 1 })
    for (const other of [
      ['--revision', 'CURRENT'],
      ['--fields', 'words_raw'],
    ])
      expect(await pull(out, proxy.baseUrl, ...other)).toMatchObject({
        code: 2,
        err: expect.stringContaining('--restart'),
      })
    expect(await pull(out, service.baseUrl, '--revision', 'CURRENT', '--restart')).toMatchObject({ code: 0 })
    expect(idsIn(out)).toEqual(pulledIds)
  })
})

test('a second pull into the same output exits with 5, and the first is not disturbed', async () => {
  const out = newFile()
  const proxy = await proxied(n => (n === 3 ? { silentAfterBytes: 100 } : 'none'))
  const subprocess = startTool(key, argsOf(out, proxy.baseUrl))
  await until('the first to be under way', () => proxy.requests.length === 4)
  expect(await pull(out)).toMatchObject({
    code: 5,
    err: expect.stringContaining(` ${out}.pull.\n`),
  })
  subprocess.kill('SIGTERM')
  expect(await endOf(subprocess)).toMatchObject({ code: 3 })
  // The lock went with its process.
  expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 0 })
})

describe('--since-last', () => {
  test('starts where an empty pull started, and adds nothing from before', async () => {
    const out = newFile()
    const { service, key, slug } = await useExport({ slug: 'ahead', applications: 3, key: { maySubmit: true } })
    const pull = (...more: string[]) => callTool(key, [...argsOf(out, service.baseUrl, '--program', slug), ...more])
    expect(await pull('--from', '2200-01-01')).toMatchObject({ code: 0 })
    const frontEnd = new FrontEnd(service, key, slug)
    await frontEnd.submit(await frontEnd.register())
    expect(await pull('--since-last')).toMatchObject({ code: 0 })
    expect(idsIn(out)).toEqual([])
  })

  test('G5, G6: loses and repeats nothing in consecutive pulls, which together equal one pull of everything', async () => {
    const out = newFile()
    const { service, key, slug, ids } = await useExport({ slug: 'growing', applications: 40, key: { maySubmit: true } })
    const pull = (out: string, ...more: string[]) =>
      callTool(key, [...argsOf(out, service.baseUrl, '--program', slug), ...more])
    /** How many have come, and of how many as far as it is known, at each page. */
    const progressOf = async (out: string, ...more: string[]) => {
      const seen: PullProgress[] = []
      const address = { baseUrl: service.baseUrl, username: key.username, password: key.password }
      const context = { signal: new AbortController().signal, say: () => {}, onProgress: seen.push.bind(seen) }
      const request = parsePull([...argsOf(out, service.baseUrl, '--program', slug).slice(1), ...more])
      await pullToFile(out, formatOf(out), request, new TributaryClient(address), context)
      return seen.map(({ applications, total }) => [applications, total])
    }
    const all = [...ids]
    const frontEnd = new FrontEnd(service, key, slug)
    for (const submissions of [7, 14, 0, 21]) {
      for (let n = 0; n < submissions; n++) {
        const { application_id } = await frontEnd.submit(await frontEnd.register())
        all.push(application_id)
      }
      // Of what is added it is not known.
      const [count, total] = submissions === 7 ? [47, 47] : [submissions, undefined]
      const pages = Array.from({ length: Math.ceil(count / 12) }, (_, page) => [
        Math.min(count, 12 * (page + 1)),
        total,
      ])
      expect(await progressOf(out, '--since-last')).toEqual(pages)
      expect(idsIn(out)).toEqual(all)
    }
    expect(await callTool(key, ['verify', out])).toMatchObject({ code: 0, out: expect.stringContaining('in 4 pulls') })
    expect(await pull(out, '--since-last')).toMatchObject({ code: 0 })
    const fresh = newFile()
    await pull(fresh)
    expect(readFileSync(out).equals(readFileSync(fresh))).toBe(true)
  })

  test('D36: adds nothing if the service has lost changes, and no application twice', async () => {
    const { service, key, slug } = await useExport({ slug: 'set-back', applications: 3, key: { maySubmit: true } })
    const frontEnd = new FrontEnd(service, key, slug)
    const apply = async () => frontEnd.submit(await frontEnd.register())
    const pull = (out: string, address: string, ...more: string[]) =>
      callTool(key, [...argsOf(out, address, '--program', slug), ...more])
    const [out, other] = [newFile(), newFile()]
    for (const file of [out, other]) expect(await pull(file, service.baseUrl)).toMatchObject({ code: 0 })
    const { application_id: later } = await apply()
    // An id that was given again, to somebody else.
    const again = useAlteredService(service, text =>
      text.replaceAll(`"application_id":${later}`, `"application_id":${idsIn(other)[1]}`),
    )
    const twice = await pull(other, again, '--since-last', '--no-verify-schema')
    expect(twice).toMatchObject({
      code: 4,
      err: expect.stringContaining(` ${idsIn(other)[1]} `),
    })
    // A cursor of a change that the service does not have.
    const state = new DatabaseSync(`${out}.pull`)
    const { value } = state.prepare("select value from fact where name = 'done'").get() as { value: string }
    const done = JSON.parse(value) as { followsFrom: string }
    done.followsFrom = done.followsFrom.replace(/^\d+/, number => String(Number(number) + 1_000_000))
    state.prepare("update fact set value = ? where name = 'done'").run(JSON.stringify(done))
    state.close()
    const before = readFileSync(out)
    const lost = await pull(out, service.baseUrl, '--since-last')
    expect(lost).toMatchObject({ code: 1, err: expect.stringContaining('--restart') })
    expect(readFileSync(out).equals(before)).toBe(true)
    expect(await pull(out, service.baseUrl, '--restart')).toMatchObject({ code: 0 })
    expect(idsIn(out)).toContain(later)
    expect(await pull(out, service.baseUrl, '--since-last')).toMatchObject({ code: 0 })
  })

  test('adds nothing to a file that was changed, moved or pulled with other filters', async () => {
    const out = newFile()
    await pull(out)
    writeFileSync(out, 'changed\n', { flag: 'a' })
    const grown = readFileSync(out)
    const refused = { code: 2, err: expect.stringMatching(/^--since-last /) }
    expect(await pull(out, undefined, '--since-last')).toMatchObject(refused)
    expect(readFileSync(out).equals(grown)).toBe(true)
    await pull(out)
    expect(await pull(out, undefined, '--since-last', '--revision', 'CURRENT')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ --revision, .* --revision CURRENT\./),
    })
    renameSync(out, `${out}.moved`)
    const gone = await pull(out, undefined, '--since-last')
    expect(gone).toMatchObject({ code: 2, err: expect.stringContaining(`${out} `) })
  })

  test('continues at another address of the same service, even an interrupted pull, and not at another service', async () => {
    const out = newFile()
    const moved = await proxied(() => 'none')
    await pull(out)
    expect(await pull(out, moved.baseUrl, '--since-last')).toMatchObject({ code: 0 })
    const cut = await proxied(n => (n < 8 ? 'none' : { status: 400 }))
    const other = newFile()
    expect(await pull(other, cut.baseUrl)).toMatchObject({ code: 1 })
    const pepper = 'another pepper of another service'
    const elsewhere = await useExport({ slug, applications: 3, config: { apiKeyPepper: pepper }, key: { pepper } })
    const refused = await callTool(elsewhere.key, argsOf(other, elsewhere.service.baseUrl))
    expect(refused.code).toBe(2)
    for (const address of [cut.baseUrl, elsewhere.service.baseUrl]) expect(refused.err).toContain(address)
    const asked = moved.requests.length
    expect(await pull(other, moved.baseUrl)).toMatchObject({ code: 0 })
    const pages = moved.requests.slice(asked).filter(({ target }) => target.includes('/applications?'))
    expect(pages[0]!.target).toContain('nextPageToken')
    expect(readFileSync(other).equals(readFileSync(whole))).toBe(true)
    // Also where neither says which it is, as older ones.
    const nameless = (port: number) =>
      useFaultyProxy(port, (_, target) => (target === '/api/v1/admin/programs' ? { status: 404 } : 'none'))
    const [faultyProxy, another] = [await nameless(service.port), await nameless(elsewhere.service.port)]
    for (const [from, to] of [
      [moved.baseUrl, elsewhere.service.baseUrl],
      [faultyProxy.baseUrl, another.baseUrl],
    ]) {
      expect(await pull(out, from)).toMatchObject({ code: 0 })
      expect(await callTool(elsewhere.key, [...argsOf(out, to), '--since-last'])).toMatchObject({
        code: 2,
        err: expect.stringMatching(new RegExp(` ${from}, .* ${to}\\.`)),
      })
    }
  })
})

describe('applications are checked against the program’s schema', () => {
  const alteredAt = (id: number) =>
    useAlteredService(service, text =>
      text
        .replace(`"application_id":${id},`, `"application_id":${id},"language":["secret"],`)
        .replace(/("language":\["secret"\].*?)"language":"en-US"/, '$1"l":1'),
    )

  test('an invalid application on the first page ends the pull with 4 and an error that names its place but no answer', async () => {
    const out = newFile()
    const address = alteredAt(pulledIds[7]!)
    const { code, err } = await pull(out, address)
    expect(code).toBe(4)
    expect(err).toMatch(new RegExp(`^Application ${pulledIds[7]} .*:\n {2}/language `, 'm'))
    expect(err).not.toContain('secret')
    expect(existsSync(out)).toBe(false)
    expect(await pull(newFile(), address, '--fields', 'words_raw')).toMatchObject({ code: 4 })
    expect(await pull(out, address, '--restart', '--no-verify-schema')).toMatchObject({ code: 0 })
  })

  test('any invalid application ends the pull of a table, and an invalid last application of a page ends a pull of lines', async () => {
    const table = newFile().replace('.ndjson', '.csv')
    expect(await pull(table, alteredAt(pulledIds[17]!))).toMatchObject({ code: 4 })
    expect(existsSync(table)).toBe(false)
    expect(await pull(newFile(), alteredAt(pulledIds[23]!))).toMatchObject({ code: 4 })
  })
})

describe('rejected and failed requests', () => {
  test('a receipt that the key may not read fails the pull, which does not skip the check', async () => {
    const out = newFile()
    let refused = true
    const proxy = await proxied((_, target) => (refused && target.includes('/receipt') ? { status: 401 } : 'none'))
    const { code, err } = await pull(out, proxy.baseUrl)
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('/api/v1/checkAuth') })
    expect(existsSync(out)).toBe(false)
    refused = false
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 0 })
    expect(readFileSync(out).equals(readFileSync(whole))).toBe(true)
  })

  test('a receipt with another digest ends the pull with 4', async () => {
    const out = newFile()
    const proxy = await proxied((_, target) =>
      target.includes('/receipt') ? { replace: sha256OfIds, by: '0'.repeat(64) } : 'none',
    )
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 4, err: expect.stringMatching(/\b240\b.* --restart/) })
    expect(existsSync(out)).toBe(false)
  })

  test('a request that always fails with 500 ends the pull with 4, without advice to run it again', async () => {
    const proxy = await proxied(n => (n < 4 ? 'none' : { status: 500 }))
    const { code, err } = await pull(newFile(), proxy.baseUrl, '--retries', '1')
    const away = await proxied(n => (n < 4 ? 'none' : { status: 503 }))
    const other = await pull(newFile(), away.baseUrl, '--retries', '1')
    const lastOf = (text: string) => text.trimEnd().split('\n').at(-1)!
    expect([code, other.code]).toEqual([4, 3])
    expect(err).not.toContain(lastOf(other.err))
  })

  test('a question hidden during a pull ends it with 1 and an error that names --restart, which then works', async () => {
    const { sql, ...database } = await useDatabase()
    const questions = [q.text('kept', { optional: true }), q.text('secret', { optional: true })]
    await aProgram(sql, { slug: 'hiding', questions })
    const service = await useService({ ...database, sql })
    const key = await createTestKey(sql, { programs: ['hiding'] })
    const frontEnd = new FrontEnd(
      service,
      await createTestKey(sql, { programs: ['hiding'], maySubmit: true }),
      'hiding',
    )
    for (let n = 0; n < 3; n++) await frontEnd.submit(await frontEnd.register())
    const [out, early] = [newFile(), newFile()]
    let cut: string | undefined = 'nextPageToken'
    const proxy = await useFaultyProxy(service.port, (_, target) =>
      cut !== undefined && target.includes(cut) ? { status: 400 } : 'none',
    )
    const run = (...more: string[]) =>
      callTool(key, [...argsOf(out, proxy.baseUrl, '--program', 'hiding', '--page-size', '1'), ...more])
    expect(await run()).toMatchObject({ code: 1 })
    cut = 'applications?'
    expect(await run('--out', early)).toMatchObject({ code: 1 })
    cut = undefined
    await editApiKey(
      sql,
      key.api_key_id,
      { hidden_questions: ['secret'] },
      { actor: 'operator:test', now: Date.now() * 1000 },
    )
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('--restart') })
    expect(await run('--restart')).toMatchObject({ code: 0 })
    expect(readFileSync(out, 'utf8')).not.toContain('secret')
    // Of this one nothing had come yet.
    expect(await run('--out', early)).toMatchObject({ code: 0 })
  })
})

describe('results', () => {
  test('--json prints count, digest and watermark to standard output', async () => {
    const out = newFile()
    const { code, out: reported } = await pull(out, undefined, '--json', '--quiet')
    expect(code).toBe(0)
    expect(JSON.parse(reported)).toEqual({
      program: slug,
      into: out,
      pulled: 240,
      sha256_of_ids: sha256OfIds,
      total: 240,
      compared: true,
      watermark: expect.any(String),
    })
  })

  test('--out - prints all lines or none to standard output', async () => {
    const TMPDIR = await useFolder()
    const { code, out } = await runTool(key, argsOf('-'), undefined, { TMPDIR })
    expect({ code, same: out === readFileSync(whole, 'utf8') }).toEqual({ code: 0, same: true })
    expect(readdirSync(TMPDIR)).toEqual([])
    expect(await runTool(key, argsOf('-'), undefined, { TMPDIR: '/no/such' })).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^.* \/no\/such\b.*\n$/),
    })
    const proxy = await proxied(n => (n < 8 ? 'none' : { status: 400 }))
    expect(await pull('-', proxy.baseUrl)).toMatchObject({ code: 1, out: '' })
    expect(await pull('-', undefined, '--since-last')).toMatchObject({ code: 2, out: '' })
  })

  test('a folder in place of the file is reported before the first request', async () => {
    const proxy = await proxied(() => 'none')
    const out = newFile()
    mkdirSync(out)
    const named = expect.stringMatching(/^--out .*\n$/)
    expect(await pull(out, proxy.baseUrl)).toMatchObject({ code: 2, err: named })
    const words = ['pull', proxy.baseUrl, '--program', slug, '--to', 'postgres://127.0.0.1:1/a', '--state', out]
    expect(await callTool(key, words)).toMatchObject({ code: 2, err: expect.stringMatching(/^--state /) })
    expect(proxy.requests).toEqual([])
  })
})

describe('errors in one sentence', () => {
  const asked = ['--program', 'p', '--out', 'a.ndjson']
  test.each<[string, string[], number, string]>([
    ['no address', ['pull', ...asked], 2, 'https://'],
    ['plain HTTP to another machine', ['pull', 'http://apply.example.gov', ...asked], 2, 'https://'],
    ['no program', ['pull', 'https://a.gov', '--out', 'a.ndjson'], 2, '--program'],
    ['no output', ['pull', 'https://a.gov', '--program', 'p'], 2, '--out'],
    ['an output of no known kind', ['pull', 'https://a.gov', ...asked, '--out', 'a.doc'], 2, '.ndjson'],
    ['an unknown option', ['pull', 'https://a.gov', '--password', 'x'], 2, '--password'],
    [
      'labels for options in columns',
      ['pull', 'https://a.gov', ...asked, '--option-labels', '--multi', 'columns'],
      2,
      '--option-labels',
    ],
    ['a page size of 0', ['pull', 'https://a.gov', ...asked, '--page-size', '0'], 2, '--page-size'],
    ['a missing folder', ['pull', 'http://[::1]:1', ...asked, '--out', '/no/a.ndjson'], 1, '/no'],
    [
      'a file in place of the folder',
      ['pull', 'http://[::1]:1', ...asked, '--out', `${import.meta.path}/`],
      1,
      `${import.meta.path}/`,
    ],
    [
      'a name that is too long',
      ['pull', 'http://[::1]:1', ...asked, '--out', `${'x'.repeat(300)}/a.ndjson`],
      1,
      'a.ndjson: ',
    ],
    ['a missing file to verify', ['verify', '/no/such.ndjson'], 1, '/no/such.ndjson'],
  ])('%s is reported', async (_, args, code, said) => {
    const ended = await callTool(key, args)
    expect({ code: ended.code, out: ended.out }).toEqual({ code, out: '' })
    expect(ended.err).toContain(said)
    expect(ended.err.trimEnd().split('\n')).toHaveLength(1)
  })

  test('a state file that cannot grow, as on a full disk, is reported, and the next pull succeeds', async () => {
    const out = newFile()
    // Blocks of 512 bytes: what is beyond them is refused.
    const limited = [
      'sh',
      '-c',
      `trap '' XFSZ; ulimit -f 32; exec "$@"`,
      'sh',
      process.execPath,
      'scripts/tributary.ts',
    ]
    const { code, err } = await runTool(key, argsOf(out), limited)
    expect(code).toBe(1)
    expect(err).toContain(` ${out}.pull: `)
    expect(await pull(out)).toMatchObject({ code: 0 })
  })

  test('an unknown command is reported', async () => {
    const said = expect.stringMatching(/^.*\bpul\b.*tributary --help.*\n$/)
    expect(await runTool(key, ['pul'])).toEqual({ code: 2, out: '', err: said })
  })

  test('a pull with an unknown API key exits with 1 immediately, and names where to check the key', async () => {
    const { code, err } = await callTool({ ...key, password: 'wrong' }, argsOf(newFile()))
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('/api/v1/checkAuth') })
    expect(err).not.toContain('wrong')
  })

  test.each<[string, { password?: string }, string[]]>([
    ['an unknown API key', { password: 'wrong' }, []],
    ['an unknown program', {}, ['--program', 'not-there']],
  ])('%s leaves no files behind, and keeps the state of an earlier pull', async (_, sent, options) => {
    const out = newFile()
    const refused = () => callTool({ ...key, ...sent }, [...argsOf(out), ...options])
    const left = () => readdirSync(folder).filter(name => name.startsWith(`${basename(out)}`))
    expect(await refused()).toMatchObject({ code: 1 })
    expect(left()).toEqual([])
    expect(await pull(out)).toMatchObject({ code: 0 })
    expect(await refused()).toMatchObject({ code: 1 })
    expect(left().sort()).toEqual([basename(out), `${basename(out)}.pull`])
    expect(await pull(out, undefined, '--since-last')).toMatchObject({ code: 0 })
    expect(idsIn(out)).toEqual(pulledIds)
  })

  test('a pull without an API key exits with status 2', async () => {
    const { code, err } = await callTool({ ...key, username: '', password: '' }, argsOf(newFile()))
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('TRIBUTARY_USERNAME') })
  })

  test('a key can come from a file, with a warning if others can read it', async () => {
    const file = join(folder, 'key')
    writeFileSync(file, `${key.username}\n${key.password}\n`)
    // The key of the environment is another.
    const run = () =>
      callTool({ ...key, username: 'another', password: 'another' }, [...argsOf(newFile()), '--credentials', file])
    chmodSync(file, 0o600)
    const kept = await run()
    expect(kept).toMatchObject({ code: 0, err: expect.not.stringContaining('chmod') })
    for (const mode of [0o640, 0o604]) {
      chmodSync(file, mode)
      expect(await run()).toMatchObject({ code: 0, err: expect.stringContaining('chmod 600') })
    }
  })
})

describe('verify', () => {
  test('verify explains how to repair a file that was renamed together with its state', async () => {
    const [out, to] = [newFile(), newFile()]
    await pull(out)
    renameSync(out, to)
    renameSync(`${out}.pull`, `${to}.pull`)
    const said = ` ${basename(out)}`
    expect(await callTool(key, ['verify', to])).toMatchObject({ code: 1, err: expect.stringContaining(said) })
  })

  test.each<[string, (lines: string[]) => string[], string]>([
    ['a missing line', lines => lines.slice(0, -1), '\\b239\\b.*\\b240\\b'],
    ['two swapped lines', ([a, b, ...rest]) => [b!, a!, ...rest], 'digest'],
    [
      'an extra line',
      ([a, ...rest]) => [a!, ...rest, a!.replace(/"application_id":\d+/, '"application_id":7')],
      '\\b241\\b.*\\b240\\b',
    ],
    ['a changed answer', ([a, ...rest]) => [a!.replace('en-US', 'en-GB'), ...rest], 'changed'],
    ['a repeated application', ([item, ...rest]) => [item!, item!, ...rest.slice(1)], 'twice'],
    ['an invalid line', ([, ...rest]) => ['{"a"', ...rest], '\\b1\\.$'],
  ])('verify detects %s', async (_, change, said) => {
    const out = newFile()
    await pull(out, undefined, '--before', '2023-11-14T22:17:20Z')
    const lines = readFileSync(out, 'utf8').split('\n').slice(0, -1)
    expect(lines).toHaveLength(240)
    expect(await callTool(key, ['verify', out])).toMatchObject({
      code: 0,
      out: expect.stringContaining('240 applications'),
    })
    writeFileSync(
      out,
      change(lines)
        .map(line => `${line}\n`)
        .join(''),
    )
    expect(await callTool(key, ['verify', out])).toMatchObject({
      code: 4,
      out: '',
      err: expect.stringMatching(new RegExp(said, 'm')),
    })
  })
})
