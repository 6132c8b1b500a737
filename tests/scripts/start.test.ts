// scripts/start as a new user meets it: from an empty folder to a command that returns applications, and everything gone at Ctrl-C.

import { afterEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { chmod, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../scripts/processes/free-port.ts'
import { isAlive } from '../../scripts/processes/is-alive.ts'
import { healthPorts } from '../../src/config/listening-settings.ts'
import { walkIds } from '../support/export-client.ts'
import { useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { until } from '../support/until.ts'

const folder = await useFolder()
// Where the account that runs PostgreSQL for root can reach it, so that its data are in the folder.
await chmod(folder, 0o755)

const started: Bun.Subprocess[] = []
// A test that failed has not ended what it started; killed, it takes all of that with it.
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    process.kill(-child.pid, 'SIGKILL')
    await until(
      'everything to end',
      async () => (await processesOfThisTest()).length === 0 && (await postgresPid()) === undefined,
    )
  }
})

interface Run {
  child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  /** What it has printed so far. */
  said(): string
  complained(): string
}

function start(settings: Record<string, string>): Run {
  const { DATABASE_URL: _, ...environment } = process.env
  const child = Bun.spawn(['scripts/start'], {
    env: { ...environment, TRIBUTARY_DATA: folder, ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  started.push(child)
  const text = { out: '', err: '' }
  const collect = async (stream: ReadableStream<Uint8Array>, into: 'out' | 'err') => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) text[into] += decoder.decode(chunk, { stream: true })
  }
  void collect(child.stdout, 'out')
  void collect(child.stderr, 'err')
  return { child, said: () => text.out, complained: () => text.err }
}

const freePorts = async (): Promise<{ PORT: string; HEALTH_PORT: string }> => ({
  PORT: String(await freePort()),
  HEALTH_PORT: String(await freePort()),
})

/** The two lines to paste, once printed: the credential into the environment, and the request. */
const curlLine = (run: Run): Promise<string> =>
  until('the curl line', () => {
    if (run.child.exitCode !== null)
      throw new Error(`it ended with ${run.child.exitCode}: ${run.said()}${run.complained()}`)
    return run.said().match(/^export .+\ncurl .+$/m)?.[0]
  })

const shell = async (command: string): Promise<string> => Bun.$`sh -c ${command}`.quiet().text()

/** The PostgreSQL of the folder, as its own file says. */
const postgresPid = async (): Promise<number | undefined> => {
  const found = [...new Bun.Glob('**/postmaster.pid').scanSync({ cwd: folder, dot: true })][0]
  if (found === undefined) return undefined
  // PostgreSQL may end, and take it along, between the two looks.
  const text = await Bun.file(join(folder, found))
    .text()
    .catch(() => undefined)
  return text === undefined ? undefined : Number(text.split('\n')[0])
}

describe('scripts/start', () => {
  test.skipIf(!needs('curl'))(
    'serves a seeded demo program, prints a working curl line, keeps data and key between runs, and stops entirely on Ctrl-C',
    async () => {
      const ports = await freePorts()
      const first = start(ports)
      const command = await curlLine(first)
      const page = JSON.parse(await shell(command))
      expect(page.payload.length).toBe(2)
      expect(page.nextPageToken).toMatch(/^[0-9A-Za-z]+$/)
      // All of what it prints is for its reader; what the processes log is in a file.
      expect(first.said()).not.toMatch(/^\{/m)
      expect(first.complained()).not.toMatch(/^\{/m)
      expect(await Bun.file(join(folder, 'log')).text()).toMatch(/^\{/m)
      expect(await (await fetch(`http://127.0.0.1:${ports.PORT}/admin/sign-in`)).text()).toContain('(demo)')
      // Scripts in another shell know where it runs.
      const { PORT: _, ...elsewhere } = process.env
      const made = Bun.spawn(['scripts/admin', 'create', 'ada@example.gov', 'Ada'], {
        env: { ...elsewhere, DATABASE_URL: undefined, TRIBUTARY_DATA: folder },
        stdout: 'pipe',
      })
      expect(await new Response(made.stdout).text()).toContain(`http://127.0.0.1:${ports.PORT}/admin/invitations/`)

      // A walk over all pages gives exactly the seeded number, no id twice.
      const base = command.replace(/\?pageSize=2'$/, '')
      const ids = await walkIds(async query => new Response(await shell(`${base}?${query}'`)), 'pageSize=1000')
      expect(ids.length).toBe(5000)
      expect(new Set(ids).size).toBe(5000)

      const postgres = await postgresPid()
      expect(postgres).toBeGreaterThan(0)
      process.kill(-first.child.pid, 'SIGINT')
      expect(await first.child.exited).toBe(0)
      expect(() => process.kill(postgres!, 0)).toThrow()

      const second = start(ports)
      expect(await curlLine(second)).toBe(command)
      expect(second.said()).not.toContain('Seeding')
      expect(JSON.parse(await shell(command)).payload).toEqual(page.payload)
      process.kill(-second.child.pid, 'SIGTERM')
      expect(await second.child.exited).toBe(0)
    },
  )

  test('takes service, worker and PostgreSQL with it when killed, and the next start reports it and has the data', async () => {
    const killed = start(await freePorts())
    await curlLine(killed)
    const left = (await postgresPid())!
    expect(left).toBeGreaterThan(0)
    expect(await processesOfThisTest()).not.toEqual([])
    process.kill(-killed.child.pid, 'SIGKILL')
    await killed.child.exited
    await until('service and worker to end', async () => (await processesOfThisTest()).length === 0)
    await until('PostgreSQL to end', async () => (await postgresPid()) === undefined)
    await until('its process to be gone', () => !isAlive(left))

    // Its number may be that of another process by now, such as this one.
    const noted = Bun.file(join(folder, 'running'))
    await noted.write((await noted.text()).replace(/^\d+/, String(process.pid)))
    const next = start({ PORT: '0', HEALTH_PORT: '0' })
    const [address] = /http:[^']+\/api/.exec(await curlLine(next))!
    expect(next.said()).toContain('killed')
    expect(next.said()).not.toContain('Seeding')
    expect(await noted.text()).toBe(`${next.child.pid}\n${address.replace('/api', '')}\n`)
    expect((await fetch(`${address}/v1/checkAuth`)).status).toBe(401)
    process.kill(-next.child.pid, 'SIGINT')
    expect(await next.child.exited).toBe(0)
  })

  test('uses and reports a PostgreSQL that is already running on its data, and leaves it running', async () => {
    const first = start(await freePorts())
    await curlLine(first)
    const running = await postgresPid()
    const noted = await Bun.file(join(folder, 'running')).text()
    const log = await stat(join(folder, 'log'))
    const second = start(await freePorts())
    await curlLine(second)
    expect(second.said()).toMatch(/PostgreSQL.*\n.*scripts\/start/)
    expect(first.said()).not.toContain('PostgreSQL')
    expect(second.said()).not.toContain('killed')
    expect(await Bun.file(join(folder, 'running')).text()).toBe(noted)
    expect((await stat(join(folder, 'log'))).ino).toBe(log.ino)
    process.kill(-second.child.pid, 'SIGINT')
    expect(await second.child.exited).toBe(0)
    expect(await postgresPid()).toBe(running)
    process.kill(-first.child.pid, 'SIGINT')
    expect(await first.child.exited).toBe(0)
    expect(await postgresPid()).toBeUndefined()
  })

  test('exits with 1 and one clear sentence while another run is preparing the data', async () => {
    const running = join(folder, 'running')
    const another = Bun.spawn(['sleep', '60'], { argv0: 'scripts/start.ts', detached: true })
    started.push(another)
    await Bun.write(running, `${another.pid}\n\n`)
    await expectRefusal({}, /^Another scripts\/start is preparing the same data\. Start again when .+\n$/)
    expect(readdirSync(folder).filter(name => name.startsWith('running'))).toEqual(['running'])
    expect(await Bun.file(running).text()).toBe(`${another.pid}\n\n`)
    another.kill()
    await another.exited
    await unlink(running)
  })

  test('exits with 1 and one clear sentence if a port is in use', async () => {
    const blocker = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    await expectRefusal({ PORT: String(blocker.port) }, /port is already in use/i)
    blocker.stop()
    // What listens there may be another Tributary, which answers that it is ready.
    const ready = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    await expectRefusal(
      { HEALTH_PORT: String(ready.port) },
      new RegExp(`^.*\\b${ready.port}\\b.* \\[EADDRINUSE\\]$`, 'm'),
    )
    await ready.stop()
    // Of the worker, which has one of its own where none is given; what uses it already blocks it as well.
    const workers = listenIfFree(healthPorts.worker)
    await expectRefusal({ HEALTH_PORT: '' }, /^.* 808[12]\b.* \[EADDRINUSE\]$/m)
    workers?.stop()
  })

  test('exits with 1 and one clear sentence if the data folder cannot be created or DATABASE_URL is unreachable', async () => {
    const file = join(folder, 'a file')
    await Bun.write(file, '')
    await expectRefusal({ TRIBUTARY_DATA: join(file, 'data') }, /^.*a file\/data\b.* \[ENOTDIR\]\n$/)
    await expectRefusal({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, /^.*127\.0\.0\.1:1 .* \[ECONNREFUSED\]$/m)
  })
})

async function expectRefusal(settings: Record<string, string>, sentence: RegExp): Promise<void> {
  const run = start({ ...(await freePorts()), ...settings })
  expect(await run.child.exited).toBe(1)
  await until('what it says', () => run.complained() !== '')
  expect(run.complained()).toMatch(sentence)
}

/** Undefined where another process listens there. */
function listenIfFree(port: number): Bun.TCPSocketListener | undefined {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } })
  } catch {
    return undefined
  }
}

/** Service and worker that run on this test's data, by /proc. */
async function processesOfThisTest(): Promise<number[]> {
  const pids: number[] = []
  for (const pid of new Bun.Glob('[0-9]*').scanSync({ cwd: '/proc', onlyFiles: false })) {
    const read = (name: string): Promise<string> => Bun.file(`/proc/${pid}/${name}`).text()
    const [command, environment] = await Promise.all([read('cmdline'), read('environ')]).catch(() => ['', ''])
    if (command.includes('/main.ts\0') && environment.includes(`TRIBUTARY_DATA=${folder}`)) pids.push(Number(pid))
  }
  return pids
}
