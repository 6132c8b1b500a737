// The Python client against the real service, through a proxy that fails on purpose; and the code of its document.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eachLine } from '../../../scripts/processes/each-line.ts'
import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { integerFrom, seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { testCertificate } from '../../support/certificate.ts'
import { unlimited } from '../../support/config.ts'
import { ExportClient } from '../../support/export-client.ts'
import { type Fault, randomFaults, useFaultyProxy } from '../../support/faulty-proxy.ts'
import { endWithTest, useExport, useFolder, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { publish, q } from '../../support/programs.ts'
import { insertRawApplications } from '../../support/raw-applications.ts'
import { endOf, outputOf, run, start } from '../../support/run.ts'
import { until } from '../../support/until.ts'

const sources = join(import.meta.dir, '../../../src/clients/python')
const nextLetter = seededRandom(4711)
/** As long as given, and no shorter when it is compressed. */
const letters = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(integerFrom(nextLetter, 0x20, 0x2fff))).join('')

const { service, key, slug, ids, sql, program, database } = await useExport({
  applications: 60,
  textOf: i => `“answer” ${i} }],{"\\ \u0085\u2028 ${letters((i * 97) % 800)}`,
  config: { maxPageSize: 20, ...unlimited },
})

interface PythonOptions {
  baseUrl?: string
  password?: string
  cwd?: string
}

const commandOf = (code: string, { baseUrl = service.baseUrl, password = key.password, cwd }: PythonOptions) => {
  const given = `import json, sys\nfrom tributary import *\nurl, program = ${JSON.stringify(baseUrl)}, "${slug}"\n`
  const { PATH } = process.env
  // -B: leaves no __pycache__ in src.
  const command = ['python3', '-B', '-c', given + code]
  const env = { PATH, PYTHONPATH: sources, TRIBUTARY_USERNAME: key.username, TRIBUTARY_PASSWORD: password }
  return [command, { cwd, env }] as const
}
/** What the code prints, as JSON; it has `url` and `program`, and `let_happen`, which waits until something has happened. */
async function python(code: string, options: PythonOptions = {}, happens?: () => Promise<unknown>): Promise<unknown> {
  if (happens === undefined) return JSON.parse(await outputOf(...commandOf(code, options)))
  const cwd = await useFolder(endWithTest)
  const waiting = `
import os, time
def let_happen():
    open("waits", "w").close()
    while os.path.exists("waits"):
        time.sleep(0.01)
`
  const running = start(...commandOf(waiting + code, { ...options, cwd }))
  const waits = join(cwd, 'waits')
  const ended = endOf(running)
  for (;;) {
    await until('it to wait or end', () => running.exitCode !== null || existsSync(waits))
    if (running.exitCode !== null) break
    await happens()
    rmSync(waits)
  }
  const { out, err } = await ended
  expect(err).toBe('')
  return JSON.parse(out)
}

/** The exception that the code ends with, as `[class, message]`. */
const raised = async (code: string, options: PythonOptions = {}): Promise<unknown> => {
  const indented = code.replaceAll(/^/gm, '  ')
  return python(
    `try:\n${indented}\nexcept Exception as error:\n  print(json.dumps([type(error).__name__, str(error)]))`,
    options,
  )
}
const quickWith = (more: string): string =>
  `client = Client(url, wait_seconds=0.001, retries_max=80, wait_seconds_max=0.005${more})\n`
const quick = quickWith('')
/** For connections that fall silent. On a busy machine, it also repeats requests that would have been answered. */
const impatient = quickWith(', silence_seconds=0.4')
const printIds = 'print(json.dumps([application["application_id"] for application in client.walk(program)]))'

const ndjson = { 'Content-Type': 'application/x-ndjson' }
const html = '<!doctype html>\n<html>\n<title>Sign in</title>\n</html>\n'
const someoneElses = '{"application_id":1,"application":{}}\n{"application_id":2,"application":{}}\n'
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const endOfOther = `${JSON.stringify({ nextPageToken: null, count: 2, sha256: digestOf(someoneElses) })}\n`

const erase = (program_id: number, application_id: number) =>
  eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined })

describe.skipIf(!needs('python3'))('the Python client', () => {
  test('yields every application once, in order, as the service has it, at any page size, and verifies the walk', async () => {
    for (const pageSize of ['None', '1000', '7']) {
      const walked = await python(
        `walk = Client(url).walk(program, page_size=${pageSize})\nprint(json.dumps([list(walk), walk.verify()]))`,
      )
      expect(walked).toEqual([await new ExportClient(service, key, slug).walkAll(), ids.length])
    }
  })

  test.each([1, 2])(
    'yields every application once and in order despite random cuts, silences, 429 and 503 (seed %d)',
    async seed => {
      const { baseUrl, requests } = await useFaultyProxy(service.port, randomFaults(seed, 20_000), true)
      expect(await python(impatient + printIds, { baseUrl })).toEqual(ids)
      expect(requests.some(({ fault }) => fault !== 'none')).toBe(true)
    },
  )

  test.each<[string, Fault]>([
    ['a sign-in page', { fields: { 'Content-Type': 'text/html' }, body: html }],
    ['a sign-in page under another type', { fields: ndjson, body: html }],
    ['an empty body', { fields: ndjson, body: '' }],
    ['408', { status: 408 }],
    ['lines without an end line', { fields: { ...ndjson, 'Walk-Token': 'x' }, body: someoneElses }],
    ['a complete page that is not the first', { fields: ndjson, body: someoneElses + endOfOther }],
    ['a page with one letter altered', { replace: 'answer', by: 'anSwer' }],
    ['an invalid gzip body', { fields: { ...ndjson, 'Content-Encoding': 'gzip' }, body: someoneElses }],
  ])('requests a page again when it gets %s, and yields nothing of it', async (_, fault) => {
    const { baseUrl, requests } = await useFaultyProxy(service.port, n => (n === 0 ? fault : 'none'), true)
    expect(await python(quick + printIds, { baseUrl })).toEqual(ids)
    expect(requests).toHaveLength(ids.length / 20 + 1)
  })

  test('reads one walk by applications, then by pages, then in another client from a page token', async () => {
    const code = `
walk = Client(url).walk(program, page_size=20)
found = [next(walk)["application_id"], next(walk)["application_id"]]
for page in walk.pages():
    found += [application["application_id"] for application in page.applications]
    if len(found) > 20:
        break
found += [application["application_id"] for application in Client(url).walk(program, next_page_token=page.next_page_token)]
print(json.dumps(found))`
    expect(await python(code)).toEqual(ids)
  })

  test('accepts filters as text and as times, and reports the time from which to continue', async () => {
    const code = `
import datetime
client = Client(url)
walk = client.walk(program, page_size=1)
first = next(walk)
now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
print(json.dumps([
    len(list(client.walk(program, from_date=walk.snapshot_time))),
    len(list(client.walk(program, from_date=now))),
    len(list(client.walk(program, to_date=now.date() + datetime.timedelta(days=1)))),
    len(list(client.walk(program, revision_state="OBSOLETE"))),
    len(list(client.walk(program, submitter_type="APPLICANT", page_size=7))),
    len(list(client.walk(program, submitter_type="TRUSTED_INTERMEDIARY"))),
]))`
    expect(await python(code)).toEqual([0, 0, ids.length, 0, ids.length, 0])
  })

  test('D12: refuses a time without a zone, which the service would read in its own, and accepts any offset', async () => {
    for (const naive of ['datetime.datetime.utcnow()', 'datetime.datetime(2026, 1, 1)'])
      expect(await raised(`import datetime\nClient(url).walk(program, from_date=${naive})`)).toEqual([
        'ValueError',
        expect.stringContaining('datetime.now(timezone.utc)'),
      ])
    const code = `
import datetime
offset = datetime.timezone(datetime.timedelta(hours=5, minutes=45, seconds=30))
early = datetime.datetime(2000, 1, 1, tzinfo=offset)
print(json.dumps([len(list(Client(url).walk(program, from_date=early))), len(list(Client(url).walk(program, to_date=early)))]))`
    expect(await python(code)).toEqual([ids.length, 0])
  })

  test('verifies a walk against its receipt, and refuses another count or an incomplete walk', async () => {
    const faultOf = (_: number, target: string): Fault =>
      target.includes('/receipt') ? { replace: '"applications":60', by: '"applications":61' } : 'none'
    const { baseUrl } = await useFaultyProxy(service.port, faultOf, true)
    const verify = 'walk = Client(url).walk(program)\nlist(walk)\nwalk.verify()'
    expect(await raised(verify, { baseUrl })).toEqual(['WalkDiffers', expect.stringMatching(/\b61\b.*\b60\b/)])
    const incomplete = 'ValueError'
    for (const code of [
      'walk = Client(url).walk(program)\nnext(walk)\nwalk.verify()',
      // All pages are there, and the last of them is not read.
      'walk = Client(url).walk(program)\n[next(walk) for _ in range(41)]\nwalk.verify()',
      'Client(url).walk("x").verify()',
    ])
      expect(await raised(code)).toEqual([incomplete, expect.stringContaining('first page to its last')])
  })

  test('verifies a walk even if some of its applications were erased afterwards', async () => {
    const [extra] = await insertRawApplications(sql, program, 1)
    const code = `
walk = Client(url).walk(program)
found = list(walk)
let_happen()
print(json.dumps([len(found), walk.verify()]))`
    expect(await python(code, {}, () => erase(program.program_id, extra!))).toEqual([ids.length + 1, ids.length])
  })

  test('loses nothing in a copy, whatever happens between its walk and its changes or when a round breaks off', async () => {
    const slug = 'broken-off'
    const [words, more] = [q.text('words'), q.text('more', { optional: true })]
    const { program_id } = await publish(sql, { slug, questions: [words] })
    const own = await createTestKey(sql, { programs: [slug], maySubmit: true })
    const frontEnd = new FrontEnd(service, own, slug)
    const applicants = [await frontEnd.register(), await frontEnd.register()]
    const apply = async (n: number) => (await frontEnd.apply(applicants[n]!, { words: { text: 'a' } })).application_id
    const ids = [await apply(0)]
    const code = `
client, state = Client(url, "${own.username}", "${own.password}"), {}
sync = lambda: client.sync("${slug}", state, fields="words")
copy = dict(sync())
let_happen()
before = dict(state)
next(sync())
assert state == before
pairs = sync()
copy.update([next(pairs)])
let_happen()
copy.update(pairs)
copy.update(sync())
print(json.dumps([[key, copy[key] and list(copy[key]["application"])] for key in copy]))`
    const happening = [
      async () => {
        await publish(sql, { slug, questions: [words, more] })
        ids.push(await apply(1))
      },
      async () => {
        await erase(program_id, ids[0]!)
        ids.push(await apply(1))
      },
    ]
    const copied = await python(code, {}, () => happening.shift()!())
    expect(copied).toEqual(ids.map((id, n) => [id, n === 0 ? null : ['words']]))
  })

  test('yields each change once, and with wait=True as it happens', async () => {
    const { baseUrl, requests } = await useFaultyProxy(service.port, () => 'none')
    const code = `
client = Client(url)
walk = client.walk(program, page_size=1)
next(walk)
opened = client._opener.open
def waited(request, timeout):
    assert timeout == 120, timeout
    return opened(request, timeout=timeout)
client._opener.open = waited
for page in client.changes(program, walk.change_cursor, include_applications=True, page_size=1, wait=True):
    for change in page["payload"]:
        print(json.dumps([change["kind"], change["application_id"], change.get("application", {}).get("application_id")]), flush=True)
        if change["kind"] == "erased":
            sys.exit()`
    const running = start(...commandOf(code, { baseUrl }))
    const changes: unknown[] = []
    const reading = eachLine(running.stdout, line => changes.push(JSON.parse(line)))
    await until('the request that waits', () => requests.length === 2)
    expect(requests[1]!.target).toContain('&pageSize=1')
    const [item, other] = await insertRawApplications(sql, program, 2)
    // An application that is erased before its page is sent is missing from it.
    await until('both submissions', () => changes.length === 2)
    await erase(program.program_id, other!)
    await erase(program.program_id, item!)
    await reading
    expect(await running.exited).toBe(0)
    expect(changes).toEqual([
      ['submitted', item, item],
      ['submitted', other, other],
      ['erased', other, null],
    ])
  })

  test('fails immediately, with the problem document, when the service refuses a request', async () => {
    const refusal = async (code: string, options?: PythonOptions) => {
      const printed = 'print(json.dumps([str(error), error.status, error.codes, error.needs_new_walk]))'
      return python(`client = Client(url)\ntry:\n  ${code}\nexcept Refused as error:\n  ${printed}`, options)
    }
    const text = (part: string) => expect.stringContaining(part)
    const { baseUrl, requests } = await useFaultyProxy(service.port, () => 'none', true)
    const wrongKey = await refusal('next(client.walk(program))', { baseUrl, password: 'wrong' })
    expect(wrongKey).toEqual([text('401'), 401, [], false])
    expect(requests).toHaveLength(1)
    expect(await refusal('next(client.walk(program, from_date="May", fields="no_such"))')).toEqual([
      text('fromDate'),
      400,
      ['invalid_date', 'unknown_field'],
      false,
    ])
    // A token of which the service has no key any more is as good as none.
    expect(await refusal('next(client.walk(program, next_page_token="unknown"))')).toEqual([
      text('nextPageToken'),
      400,
      ['page_token_invalid'],
      true,
    ])
    expect(await refusal('client.application(program, 999999)')).toEqual([text('404'), 404, [], false])
    expect(await refusal('next(client.changes(program, "999999999"))')).toEqual([
      text('after'),
      400,
      ['cursor_of_another_history'],
      true,
    ])
    const later = await useService(database, {}, { now: () => Date.now() * 1000 + 8 * 86_400_000_000 })
    const token = await python(
      'print(json.dumps(next(Client(url).walk(program, page_size=1).pages()).next_page_token))',
    )
    expect(await refusal(`next(client.walk(program, next_page_token="${token}"))`, { baseUrl: later.baseUrl })).toEqual(
      [text('has expired'), 400, ['page_token_expired'], true],
    )
  })

  test('waits as long as the service requests, and gives up after too many failures or if the wait is too long', async () => {
    const code = `
waits = []
client = Client(url, retries_max=1, wait_seconds=0.001, on_retry=lambda reason, seconds: waits.append([reason, seconds]))
try:
    next(client.walk(program))
except GaveUp as error:
    print(json.dumps([str(error), waits]))`
    const gaveUp = async (retryAfter?: string): Promise<[string, [string, number][]]> => {
      const { baseUrl } = await useFaultyProxy(
        service.port,
        () => ({ status: 503, ...(retryAfter && { retryAfter }) }),
        true,
      )
      return (await python(code, { baseUrl })) as [string, [string, number][]]
    }
    const [message, waits] = await gaveUp('1')
    expect(message).toMatch(/\b2\b.*\b503\b/)
    expect(waits).toEqual([[expect.stringMatching(/\b503\b/), expect.any(Number)]])
    expect(waits[0]![1]).toBeGreaterThanOrEqual(1)
    expect(waits[0]![1]).toBeLessThan(1.1)
    expect((await gaveUp())[1][0]![1]).toBeLessThan(0.01)
    const past = new Date(0).toUTCString()
    expect((await gaveUp(past))[1][0]![1]).toBeLessThan(0.01)
    for (const retryAfter of ['86400', new Date(Date.now() + 86_400_000).toUTCString()])
      expect(await gaveUp(retryAfter)).toEqual([expect.stringMatching(/\b1\b.*\b503\b/), []])
  })

  test('does not retry an unknown host or an untrusted certificate, and trusts a given authority', async () => {
    const tls = await useService(database, {}, { tls: testCertificate })
    const cwd = await useFolder(endWithTest)
    await Bun.write(join(cwd, 'authority.pem'), testCertificate.cert)
    expect(await raised('next(Client(url).walk(program))', { baseUrl: tls.baseUrl })).toEqual([
      'Unreachable',
      expect.stringMatching(/127\.0\.0\.1/),
    ])
    const trusting = `import ssl\nclient = Client(url, context=ssl.create_default_context(cafile="authority.pem"))\n${printIds}`
    expect(await python(trusting, { baseUrl: tls.baseUrl, cwd })).toEqual(ids)
    // What the resolver answers for such a host differs by network, so the failure is handed in.
    const noHost = `
import socket
error = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
print(json.dumps([type(Client(url)._failure(one)).__name__ for one in (error, socket.gaierror(socket.EAI_AGAIN, "later"))]))`
    expect(await python(noHost)).toEqual(['Unreachable', '_Passing'])
  })

  test('follows no redirect, so the key goes nowhere else', async () => {
    const asked: string[] = []
    const listening = (answer: () => Response): URL => {
      const fetch = ({ url }: Request): Response => {
        asked.push(new URL(url).host)
        return answer()
      }
      const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch })
      endWithTest(() => server.stop(true))
      return server.url
    }
    const elsewhere = listening(() => new Response('{}'))
    for (const status of [301, 302, 307, 308]) {
      const { origin, host } = listening(() => Response.redirect(elsewhere.href, status))
      expect(await raised('Client(url).check_auth()', { baseUrl: origin })).toEqual([
        'Refused',
        expect.stringMatching(new RegExp(` ${status}\\b`)),
      ])
      expect(asked.splice(0)).toEqual([host])
    }
  })

  test('explains in a sentence what is wrong with an argument', async () => {
    const sentences: Record<string, string> = {
      'Client("apply.example.gov")': " https://apply.example.gov, not 'apply.example.gov'",
      'Client("https://apply.example.gov:99999")': ' https://apply.example.gov, not',
      'Client("http://apply.example.gov")': ' https://,',
      'Client("http://me:secret@apply.example.gov")': 'password',
      'Client(url, "me", "")': 'TRIBUTARY_USERNAME',
      'Client(url, retries_max=-1)': 'retries_max',
      'next(Client(url).walk(""))': 'utility-assistance',
      'Client(url).walk(program, page_size=0)': 'page_size',
      'Client(url).walk(program, fields="a", next_page_token="t")': 'next_page_token',
      'next(Client(url).changes(program, fields="a"))': 'include_applications=True',
    }
    const code = `found = []
for code in json.loads(sys.stdin.read()):
    try:
        eval(code)
        found.append(None)
    except ValueError as error:
        found.append(str(error))
print(json.dumps(found))`
    const [command, options] = commandOf(code, {})
    const { out } = await run(command, { ...options, input: JSON.stringify(Object.keys(sentences)) })
    expect(JSON.parse(out)).toEqual(Object.values(sentences).map(sentence => expect.stringContaining(sentence)))
  })

  test('lists programs and the permissions of the key', async () => {
    const found = await python('client = Client(url)\nprint(json.dumps([client.programs(), client.check_auth()]))')
    expect(found).toMatchObject([[{ program_name: slug, applications: ids.length }], { programs: [slug] }])
  })
})

describe.skipIf(!needs('python3'))('PYTHON.md', async () => {
  const document = await Bun.file(join(sources, 'PYTHON.md')).text()
  const [exporting, copying, loading] = [...document.matchAll(/```python\n(.*?)```/gs)].map(([, code]) => code!)

  test('the export example prints each application and verifies the walk', async () => {
    const code = exporting!.replace('"https://apply.example.gov"', 'url').replace('"utility-assistance"', 'program')
    expect(code).not.toBe(exporting)
    const unasked = code.replace(/, fields=\[.*?\]/, '')
    expect(unasked).not.toBe(code)
    const printed = await outputOf(...commandOf(unasked, {}))
    expect(
      printed
        .trimEnd()
        .split('\n')
        .map(line => Number(line.split(' ')[0])),
    ).toEqual(ids)
  })

  test('the copy of the example equals a walk after every kind of change to applications, despite faults in each round', async () => {
    const code = copying!
      .replace('Client("https://apply.example.gov")', impatient.slice('client = '.length).trim())
      .replace('"utility-assistance"', '"copied"')
    expect(code).toContain('wait_seconds')
    await throughEverything('copied', code, seed => randomFaults(seed, 20_000))
  })

  test('the dlt tables of the example equal a walk after every kind of change, with rows merged according to its hints', async () => {
    expect(loading).toContain('tributary("https://apply.example.gov", ["utility-assistance"])')
    await throughEverything('loaded', standInForDlt, () => () => 'none')
  })
})

/** dlt as far as the source needs it: a state that is kept, and tables into which rows are merged. */
const standInForDlt = `
import pathlib, types
stored = pathlib.Path("copy.json")
copy = json.loads(stored.read_text()) if stored.exists() else {"state": {}, "applications": {}}
dlt = types.ModuleType("dlt")
dlt.source = lambda name: lambda source: source
dlt.resource = lambda rows, **hints: (rows, hints)
dlt.current = types.SimpleNamespace(resource_state=lambda: copy["state"])
sys.modules["dlt"] = dlt
from tributary_dlt import tributary
[(rows, hints)] = tributary(url, ["loaded"])
assert (hints["name"], hints["primary_key"], hints["write_disposition"]) == ("loaded", "application_id", "merge")
[deleted] = [name for name, hint in hints["columns"].items() if hint.get("hard_delete")]
[order] = [name for name, hint in hints["columns"].items() if hint.get("dedup_sort") == "desc"]
last = {}
for row in rows:
    application_id = row["application_id"]
    if application_id not in last or row[order] > last[application_id][order]:
        last[application_id] = row
for application_id, row in last.items():
    if row.pop(deleted):
        copy["applications"].pop(str(application_id), None)
    else:
        copy["applications"][str(application_id)] = {name: value for name, value in row.items() if name != order}
stored.write_text(json.dumps(copy))`

/** Holds what a round of the code leaves in copy.json against a walk, after everything that can happen to applications. */
async function throughEverything(
  slug: string,
  code: string,
  faultsOf: (seed: number) => (n: number) => Fault,
): Promise<void> {
  const words = q.text('words')
  const { program_id } = await publish(sql, { slug, statuses: ['Received'], questions: [words] })
  const copied = await createTestKey(sql, { programs: [slug], maySubmit: true })
  const frontEnd = new FrontEnd(service, copied, slug)
  const apply = async (applicant: number, words: string) =>
    (await frontEnd.apply(applicant, { words: { text: words } })).application_id
  const mark = (application_id: number, set: { status: string } | { note: string }) => {
    const place = { program_id, application_id, actor: 'admin:test', timeZone: service.config.timeZone }
    return annotate(sql, { ...place, ...set, now: Date.now() * 1000 })
  }
  const client = new ExportClient(service, copied, slug)
  const cwd = await useFolder(endWithTest)
  const round = async (seed: number) => {
    const { baseUrl } = await useFaultyProxy(service.port, faultsOf(seed), true)
    const [command, options] = commandOf(code, { baseUrl, cwd })
    const env = { ...options.env, TRIBUTARY_USERNAME: copied.username, TRIBUTARY_PASSWORD: copied.password }
    await outputOf(command, { ...options, env })
    const { applications } = await Bun.file(join(cwd, 'copy.json')).json()
    const walked = (await client.walkAll()).map(application => [application.application_id, application])
    expect(applications).toEqual(Object.fromEntries(walked))
    return walked.length
  }
  expect(await round(1)).toBe(0)
  const [ada, ben, eve] = [await frontEnd.register(), await frontEnd.register(), await frontEnd.register()]
  const first = await apply(ada!, 'first')
  const second = await apply(ben!, 'second')
  const third = await apply(eve!, 'third')
  expect(await round(2)).toBe(3)
  await mark(first, { status: 'Received' })
  const newer = await apply(ada!, 'newer')
  await mark(first, { note: 'after it was superseded' })
  await erase(program_id, second)
  await apply(eve!, 'superseded and erased since')
  await erase(program_id, third)
  expect(await round(3)).toBe(3)
  await publish(sql, { slug, statuses: ['Received'], questions: [words, q.date('born')] })
  await erase(program_id, newer)
  expect(await round(4)).toBe(2)
  expect(await round(5)).toBe(2)
}
