// The log: what is in a line, and that every line arrives.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../../src/base/log.ts'

const fields = {
  text: 'a "b"\n\u2028é',
  number: 1.5,
  flag: false,
  absent: undefined,
  inner: { one: 1, none: undefined },
}

function caught(level = 'info') {
  const lines: string[] = []
  return { log: createLog(level, { write: line => void lines.push(line) }), lines }
}

test('any log entry is one line of JSON with a time', () => {
  const { log, lines } = caught()
  log.info(fields, 'request "x"')
  expect(lines).toHaveLength(1)
  expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1)
  const { time, ...rest } = JSON.parse(lines[0]!) as Record<string, unknown>
  expect(rest).toEqual({
    level: 'info',
    service: 'tributary',
    msg: 'request "x"',
    text: fields.text,
    number: 1.5,
    flag: false,
    inner: { one: 1 },
  })
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('LOG_LEVEL is the minimum level that is written', () => {
  const { log, lines } = caught('warn')
  log.info(fields, 'request')
  expect(lines).toEqual([])
  log.warn(fields, 'request')
  expect(lines).toHaveLength(1)
})

test.each(['authorization', 'password', 'secret', 'token', 'headers'])(
  'the value of a field named %s is replaced',
  name => {
    const { log, lines } = caught()
    log.info({ [name]: 'hush', inner: { [name]: 'hush', list: [{ deeper: { [name]: { of: 'hush' } } }] } }, 'x')
    expect(lines.join('')).not.toContain('hush')
    expect(JSON.parse(lines[0]!)).toMatchObject({ [name]: '[redacted]', inner: { [name]: '[redacted]' } })
  },
)

const logModule = JSON.stringify(join(import.meta.dir, '../../src/base/log.ts'))

/** Runs a program with a log on standard output. */
function run(program: string) {
  const source = `import { createLog } from ${logModule}\nconst log = createLog('info')\n${program}`
  return Bun.spawn([process.execPath, '--eval', source], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
}

const countsOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => (JSON.parse(line) as { n?: number }).n)

const writeFive = `for (let n = 0; n < 5; n++) n % 2 === 0 ? log.info({ n }, 'one') : log.warn({ n }, 'other')`

test.each([
  ['ends by itself', ''],
  ['calls exit at once', 'process.exit(0)'],
  [
    'calls exit in a handler of SIGTERM',
    `process.on('SIGTERM', () => process.exit(0)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1e6)`,
  ],
  ['throws', `throw new Error('of the test')`],
  ['throws later', `setTimeout(() => { log.info({ n: 5 }, 'more'); throw new Error('of the test') })`],
  ['rejects', `await Promise.reject(new Error('of the test'))`],
])('no line is lost and all are in order when the process %s', async (_, ending) => {
  const child = run(`${writeFive}\n${ending}`)
  const counts = countsOf(await new Response(child.stdout).text())
  await child.exited
  expect(counts.slice(0, 5)).toEqual([0, 1, 2, 3, 4])
  expect(counts.length).toBe(ending.includes('n: 5') ? 6 : 5)
})

test('a slow reader still receives every line', async () => {
  // More than a pipe holds, in one turn of the event loop.
  const child = run(`for (let n = 0; n < 5000; n++) log.info({ n, padding: 'é'.repeat(200) }, 'x')`)
  expect(countsOf(await new Response(child.stdout).text())).toEqual(Array.from({ length: 5000 }, (_, n) => n))
  expect(await child.exited).toBe(0)
})

test('a service continues when nothing reads its log anymore', async () => {
  const child = run(`
    for await (const _ of Bun.stdin.stream()) {}
    for (let n = 0; n < 3; n++) {
      log.info({ n }, 'x')
      await new Promise(resolve => setImmediate(resolve))
    }
    process.exit(7)`)
  await child.stdout.cancel()
  await child.stdin.end()
  expect(await child.exited).toBe(7)
})
