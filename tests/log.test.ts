// The log: what is in a line, and that every line arrives.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../src/log.ts'

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

test('a plain line says what any other line would, and is one line', () => {
  const { log, lines } = caught()
  log.info(fields, 'request "x"')
  log.plainInfo(fields, 'request "x"')
  log.info({}, 'nothing')
  log.plainInfo({}, 'nothing')
  const [info, plain, infoOfNothing, plainOfNothing] = lines.map(line => JSON.parse(line) as Record<string, unknown>)
  const { time, ...rest } = plain!
  const { time: timeOfInfo, ...restOfInfo } = info!
  expect(rest).toEqual(restOfInfo)
  expect(Math.abs(Date.parse(time as string) - Date.parse(timeOfInfo as string))).toBeLessThan(60_000)
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect({ ...plainOfNothing, time: '' }).toEqual({ ...infoOfNothing, time: '' })
  for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1)
})

test('LOG_LEVEL holds for plain lines too', () => {
  const { log, lines } = caught('warn')
  log.plainInfo(fields, 'request')
  expect(lines).toEqual([])
})

test('what has the name of a secret is replaced, and cannot be written plainly', () => {
  const { log, lines } = caught()
  log.info({ token: 'hush', inner: { password: 'hush', headers: { authorization: 'hush' } } }, 'x')
  expect(lines.join('')).not.toContain('hush')
  // That these do not compile is the test; they are never called.
  const refused = [
    // @ts-expect-error a secret's name
    () => log.plainInfo({ token: 'hush' }, 'x'),
    // @ts-expect-error a secret's name, further in
    () => log.plainInfo({ inner: { password: 'hush' } }, 'x'),
    // @ts-expect-error nobody knows what is in it
    () => log.plainInfo({ error: 'hush' as unknown }, 'x'),
    // @ts-expect-error a message may hold anything
    () => log.plainInfo({ cause: new Error('hush') }, 'x'),
  ]
  expect(refused.length).toBe(4)
})

const logModule = JSON.stringify(join(import.meta.dir, '../src/log.ts'))

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

const writeFive = `for (let n = 0; n < 5; n++) n % 2 === 0 ? log.plainInfo({ n }, 'plain') : log.warn({ n }, 'other')`

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

test('a reader that does not keep up gets every line all the same', async () => {
  // More than a pipe holds, in one turn of the event loop.
  const child = run(`for (let n = 0; n < 5000; n++) log.plainInfo({ n, padding: 'é'.repeat(200) }, 'x')`)
  expect(countsOf(await new Response(child.stdout).text())).toEqual(Array.from({ length: 5000 }, (_, n) => n))
  expect(await child.exited).toBe(0)
})

test('a service whose log nobody reads any more goes on', async () => {
  const child = run(`
    for await (const _ of Bun.stdin.stream()) {}
    for (let n = 0; n < 3; n++) {
      log.plainInfo({ n }, 'x')
      await new Promise(resolve => setImmediate(resolve))
    }
    process.exit(7)`)
  await child.stdout.cancel()
  await child.stdin.end()
  expect(await child.exited).toBe(7)
})
