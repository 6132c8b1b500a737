// The binary of scripts/build, started where there is no checkout: everything it serves and does is in it.

import { afterEach, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { version } from '../../package.json'
import { freePort } from '../../scripts/processes/free-port.ts'
import { runBinary, useBinary } from '../support/binary.ts'
import { walkIds } from '../support/export-client.ts'
import { exportLines } from '../support/export-lines.ts'
import { useBareDatabase, useFolder } from '../support/fixtures.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { run } from '../support/run.ts'
import { until } from '../support/until.ts'

const slug = 'utility-assistance'
const applications = 900
const binary = await useBinary({ TRIBUTARY_COMMIT: 'c0ffee' })
const database = await useBareDatabase()
const tributary = (args: readonly string[], input?: string) =>
  runBinary(binary, args, { DATABASE_URL: database.url }, input)

/** What a command prints; it must end well. */
async function output(args: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await tributary(args, input)
  if (code !== 0) throw new Error(`tributary ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

const build = (args: readonly string[]) =>
  run([process.execPath, join(import.meta.dir, '../../scripts/releasing/build-binaries.ts'), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  })

await output(['migrate'])
await output(['seed', '--applications', String(applications), '--program', slug])
const shown = await output(`api-key create --name A --programs ${slug} --expires 9d --subnets anywhere`.split(' '))
const credential = (word: string): string => new RegExp(`${word}:?\\s+(\\S+)`).exec(shown)![1]!
const headers = { Authorization: `Basic ${btoa(`${credential('Username')}:${credential('Password')}`)}` }

const serve = () => startMain(database, {}, [binary, 'serve'])
afterEach(endProcesses)

describe('the binary', () => {
  test('is one file, and reports its version and commit', async () => {
    expect(await readdir(dirname(binary))).toEqual(['tributary'])
    expect(await output(['--version'])).toBe(`${version} (c0ffee)\n`)
  })

  test('is not built for an unknown system, and the build fails', async () => {
    const folder = await useFolder()
    const { code, out } = await build([folder, '--target', 'bun-plan9-x64'])
    expect({ failed: code !== 0, out, made: await readdir(folder) }).toEqual({ failed: true, out: '', made: [] })
  })

  test('prints its usage, with commands as they are typed', async () => {
    expect(await output([])).toContain('Usage: tributary <command>')
    expect(await tributary(['sreve'])).toMatchObject({
      code: 2,
      err: expect.stringContaining(' sreve'),
    })
    expect(await output(['erase', '--help'])).toStartWith('Usage:\n  tributary erase')
    expect(await tributary(['load', 'a', 'b'])).toMatchObject({ code: 2, err: expect.not.stringContaining('scripts/') })
    const unset = await runBinary(binary, ['api-key', 'list'], { API_KEY_PEPPER: '', PAGE_TOKEN_KEYS: '' })
    expect(unset).toMatchObject({ code: 1, err: expect.stringMatching(/ DATABASE_URL: .*\[unusable_setting\]/) })
  })

  test('serves a walk with every application "exactly once" (G1)', async () => {
    const { url } = await serve()
    const address = `${url}/api/v1/admin/programs/${slug}/applications`
    const ids = await walkIds(query => fetch(`${address}?${query}`, { headers }), 'pageSize=250')
    expect(ids).toHaveLength(applications)
    expect(new Set(ids).size).toBe(applications)
  })

  test('pulls every application, run in a folder without any of the project’s files', async () => {
    const { url } = await serve()
    const folder = await useFolder()
    const out = join(folder, 'apps.csv')
    const key = { TRIBUTARY_USERNAME: credential('Username'), TRIBUTARY_PASSWORD: credential('Password') }
    const pull = () => runBinary(binary, ['pull', url, '--program', slug, '--out', out], key)
    expect(await pull()).toMatchObject({ code: 0 })
    expect((await Bun.file(out).text()).match(/^\d+,\d+,"utility-assistance"/gm)).toHaveLength(applications)
    expect((await runBinary(binary, ['verify', out], {})).out).toContain(`${applications} applications in 1 pull`)
  })

  test('serves the console and docs with their styles, scripts and fonts', async () => {
    const { url } = await serve()
    for (const page of ['/admin/sign-in', `/docs/api/programs/${slug}`, '/docs/api', '/swagger']) {
      const response = await fetch(url + page, { headers: { ...headers, Accept: 'text/html' } })
      const html = await response.text()
      expect(response.status).toBe(200)
      for (const address of await assetsOf(url, html)) {
        const asset = await fetch(url + address)
        expect([address, asset.status, (await asset.bytes()).length > 100]).toEqual([address, 200, true])
      }
    }
    // The editor is bundled when the binary is made.
    const editor = await fetch(`${url}/assets/editor.js`)
    expect([editor.status, (await editor.bytes()).length > 100_000]).toEqual([200, true])
  })

  test('runs the worker, which generates the docs of a published version', async () => {
    const worker = await startWorker(database, {}, [binary, 'work'])
    const definition = JSON.parse(await output(['program', 'show', slug]))
    await output(['program', 'publish', '-'], JSON.stringify({ ...definition, display_name: 'Another name' }))
    const newest = () => database.sql`
      select from docs_example
      join program_version v using (program_version_id)
      join program p using (program_id)
      where p.slug = ${slug} and v.state = 'ACTIVE' and v.program_version_id <> ${definition.based_on}`
    await until('docs of the version', async () => (await newest()).length === 1)
    const port = new URL(worker.health).port
    expect(await health('worker', { HEALTH_PORT: port })).toBe(0)
    worker.child.kill('SIGTERM')
    expect(await worker.child.exited).toBe(0)
    expect(await health('worker', { HEALTH_PORT: port })).toBe(1)
  })

  test('loads applications with its own threads', async () => {
    const lines = await exportLines(database.sql, slug)
    const target = await useBareDatabase()
    const into = (args: readonly string[], input?: string) =>
      runBinary(binary, args, { DATABASE_URL: target.url }, input)
    expect(await into(['program', 'import', '-'], await output(['program', 'export', slug]))).toMatchObject({ code: 0 })
    expect(await into(['load', '-', '--program', slug], lines.join('\n'))).toMatchObject({ code: 0, err: '' })
    expect(await exportLines(target.sql, slug)).toHaveLength(lines.length)
  })

  test('finishes a page after SIGTERM, and its health command reports the service before and after', async () => {
    const port = { HEALTH_PORT: String(await freePort()) }
    const early = health('service', port, '--wait', '30s')
    const main = await startMain(database, port, [binary, 'serve'])
    expect([await early, await health('service', port)]).toEqual([0, 0])
    const response = await fetch(`${main.url}/api/v1/admin/programs/${slug}/applications`, { headers })
    main.child.kill('SIGTERM')
    await until('the drain to begin', () => main.log.some(line => line.msg === 'draining'))
    expect(((await response.json()) as { payload: unknown[] }).payload).toHaveLength(applications)
    expect(await main.child.exited).toBe(0)
    expect(await health('service', port)).toBe(1)
    expect((await tributary(['health', 'everything'])).code).toBe(2)
  })

  test('still exports when built without the console and the follower, whose pages and commands fail', async () => {
    const folder = await useFolder()
    const built = await build([folder, '--without', 'console,civiform'])
    expect(built.err).toContain('service')
    expect(built.err).not.toMatch(/console and docs|follower/)
    const small = join(folder, 'tributary')
    const { url } = await startMain(database, { APPLY: 'on' }, [small, 'serve'])
    const statusOf = async (path: string) => (await fetch(url + path, { headers, redirect: 'manual' })).status
    expect(await statusOf(`/api/v1/admin/programs/${slug}/applications?pageSize=1`)).toBe(200)
    const pages = ['/', '/admin', '/admin/keys', '/docs/api', '/assets/docs.css']
    expect(await Promise.all(pages.map(statusOf))).toEqual(pages.map(() => 404))
    // Applicants' pages need neither, and bring their files along.
    const applying = [
      '/apply',
      ...['apply.css', 'apply.js', 'live-questions.js', 'theme.css', 'public-sans.woff2'].map(
        name => `/apply/-/assets/${name}`,
      ),
    ]
    expect(await Promise.all(applying.map(statusOf))).toEqual(applying.map(() => 200))
    const page = await fetch(`${url}/admin`, { headers: { Accept: 'text/html' } })
    expect([page.status, await page.json()]).toEqual([404, expect.objectContaining({ status: 404 })])
    for (const command of ['follow', 'civiform']) expect((await runBinary(small, [command], {})).code).toBe(1)
  })

  test('cannot be built without the export', async () => {
    const folder = await useFolder()
    const { code, out } = await build([folder, '--without', 'export'])
    expect({ code, out, made: await readdir(folder) }).toEqual({ code: 2, out: '', made: [] })
  })
})

const health = async (of: string, environment: Record<string, string>, ...args: string[]): Promise<number> =>
  (await runBinary(binary, ['health', of, ...args], { DATABASE_URL: database.url, ...environment })).code

/** What a page asks for, and what its style sheets ask for in turn. */
async function assetsOf(url: string, html: string): Promise<Set<string>> {
  const addresses = new Set([...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(found => found[1]!))
  expect(addresses.size).toBeGreaterThan(1)
  for (const style of [...addresses].filter(address => address.includes('.css'))) {
    const text = await (await fetch(url + style)).text()
    for (const [, address] of text.matchAll(/url\(['"]?([^'")]+)/g))
      addresses.add(new URL(address!, url + style).pathname)
  }
  return addresses
}
