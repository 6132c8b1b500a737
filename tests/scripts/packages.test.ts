// @tributary/client and @tributary/cli as they would be published: packed, installed into empty folders, and run by Node.js and Bun.

import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { version } from '../../package.json'
import { buildPackages, packPackages } from '../../scripts/releasing/build-packages.ts'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { eraseApplication } from '../../src/core/applications/erase.ts'
import { testCertificate } from '../support/certificate.ts'
import { unlimited } from '../support/config.ts'
import { useConnectProxy } from '../support/connect-proxy.ts'
import { ExportClient, type ExportedApplication } from '../support/export-client.ts'
import { useBareDatabase, useDatabase, useExport, useFolder, useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { findNeeded, needs } from '../support/needs.ts'
import { endOf, outputOf, run } from '../support/run.ts'
import { callTool, startTool } from '../support/tributary-tool.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '../..')
const slug = 'utility-assistance'
const database = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
const followed = 'child-care-subsidy'
const programs = [
  { slug, applications: 300 },
  { slug: followed, applications: 40 },
]
await seedPrograms(database.sql, { programs, now, timeZone: 'UTC', actor: 'test' })
const service = await useService(database, unlimited)
const key = await createTestKey(database.sql, { programs: [slug, followed] })
const client = new ExportClient(service, key, slug)
const ids = (await client.walkAll()).map(({ application_id }) => application_id)

const [node, node20] = [findNeeded('node') ?? 'node', findNeeded('node20') ?? 'node']
/** Those that this machine has; the end of the run names the others. */
const here = (runtimes: [name: string, path: string, isHere: boolean][]) => runtimes.filter(([, , isHere]) => isHere)
const environment = { PATH: process.env.PATH, HOME: process.env.HOME }
const made = await useFolder()
const packages = await buildPackages(made, 'c0ffee')
const [clientTarball, cliTarball] = (await packPackages(packages, made)) as [string, string]

/** An empty project with the package in it. */
async function install(tarball: string): Promise<string> {
  const folder = await useFolder()
  const offline = ['npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  await outputOf([...offline, join(made, tarball)], { cwd: folder, env: environment })
  return folder
}
const withClient = await install(clientTarball)
const withCli = await install(cliTarball)
const command = join(withCli, 'node_modules/.bin/tributary')

const packed = async (tarball: string): Promise<string[]> =>
  (await outputOf(['tar', '--list', '--gzip', '--file', join(made, tarball)]))
    .trim()
    .split('\n')
    .map(name => name.replace('package/', ''))
    .sort()

describe('the npm packages', () => {
  test('contain only files for their users, and no dependencies', async () => {
    const modules = ['answer-shapes', 'api-types', 'attempts', 'body-buffer', 'client-errors']
    const both = [
      ...modules,
      'client-options',
      'client-results',
      'index',
      'request-line',
      'round-trip',
      'service-address',
      'tributary-client',
      'whole-page',
    ].flatMap(name => [`dist/${name}.d.ts`, `dist/${name}.js`])
    expect(await packed(clientTarball)).toEqual(['LICENSE', 'README.md', ...both, 'package.json'])
    expect(await packed(cliTarball)).toEqual(
      ['LICENSE', 'README.md', 'THIRD-PARTY.txt', 'cli.cjs', 'package.json', 'tributary.cjs'].sort(),
    )
    for (const folder of [packages.client, packages.cli]) {
      const manifest = await Bun.file(join(folder, 'package.json')).json()
      expect([manifest.version, manifest.license, manifest.dependencies]).toEqual([version, 'Apache-2.0', undefined])
    }
  })

  test('are byte-identical when they are built again in another folder', async () => {
    const again = await useFolder()
    for (const tarball of await packPackages(await buildPackages(again, 'c0ffee'), again))
      expect(readFileSync(join(again, tarball)).equals(readFileSync(join(made, tarball)))).toBe(true)
  })

  test('list every package bundled in the command, with its version', async () => {
    const text = await Bun.file(join(packages.cli, 'THIRD-PARTY.txt')).text()
    for (const name of ['cli-progress', 'hyparquet', 'hyparquet-writer', 'postgres', 'typebox'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  test.each([packages.client, packages.cli])('publint finds no fault in %s', async folder => {
    const checked = await run([process.execPath, 'x', 'publint', folder, '--strict'], { cwd: root })
    expect({ code: checked.code, said: checked.code === 0 ? '' : checked.out }).toEqual({ code: 0, said: '' })
  })

  test('@arethetypeswrong finds no fault in the types of the client as an ES module', async () => {
    const tarball = createPackageFromTarballData(new Uint8Array(readFileSync(join(made, clientTarball))))
    const checked = await checkPackage(tarball)
    const problems = checked.types === false ? ['no types'] : checked.problems
    // Node.js before 12, and CommonJS, which imports an ES module as such.
    const others = ['node10', 'node16-cjs']
    const ofModule = problems.filter(
      problem =>
        typeof problem === 'string' || !('resolutionKind' in problem && others.includes(problem.resolutionKind)),
    )
    expect(ofModule).toEqual([])
    const resolved = checked.types === false ? [] : Object.values(checked.entrypoints['.']!.resolutions)
    expect(resolved.filter(({ resolution }) => resolution?.fileName.endsWith('/dist/index.d.ts'))).toHaveLength(3)
  })
})

describe('@tributary/client', () => {
  const program = `
    import { GaveUp, RequestRefused, TributaryClient } from '@tributary/client'
    const client = new TributaryClient({ baseUrl: process.argv[2], username: process.env.NAME, password: process.env.WORD })
    const ids = []
    for await (const application of client.applications('${slug}', { pageSize: 70 })) ids.push(application.application_id)
    const refused = await client.receipt('no-such-program', 'x').catch(error => error instanceof RequestRefused && error.status)
    console.log(JSON.stringify({ ids, refused, isClass: GaveUp.prototype instanceof Error }))`

  test.each(
    here([
      ['Node.js 20', node20, needs('node20')],
      ['a newer Node.js', node, needs('node')],
      ['Bun', process.execPath, true],
    ]),
  )('completes a walk under %s', async (_, runtime) => {
    writeFileSync(join(withClient, 'walk.js'), program)
    const env = { ...environment, NAME: key.username, WORD: key.password }
    const out = await outputOf([runtime, 'walk.js', service.baseUrl], { cwd: withClient, env })
    expect(JSON.parse(out)).toEqual({ ids, refused: 401, isClass: true })
  })

  test('uses nothing that a browser lacks', async () => {
    const built = await Bun.build({
      entrypoints: [join(withClient, 'node_modules/@tributary/client/dist/index.js')],
      target: 'browser',
    })
    const text = await built.outputs[0]!.text()
    expect([built.success, /\b(node:|Bun\.|process\.|Buffer\b|require\()/.exec(text)?.[0]]).toEqual([true, undefined])
  })

  test('has types that accept valid code and reject invalid code', async () => {
    const lines = (key: string) => `
      import { type Application, TributaryClient } from '@tributary/client'
      const client = new TributaryClient({ baseUrl: 'https://a.example', username: 'a', password: 'b', retriesMax: 2 })
      for await (const one of client.applications('a')) console.log(one.${key}, one satisfies Application)`
    const check = async (key: string) => {
      writeFileSync(join(withClient, 'typed.ts'), lines(key))
      const options = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types'.split(' ')
      return run([join(root, 'node_modules/.bin/tsc'), ...options, '', 'typed.ts'], { cwd: withClient })
    }
    expect(await check('submit_time')).toMatchObject({ code: 0, out: '' })
    expect(await check('submitted')).toMatchObject({ out: expect.stringMatching(/error TS2\d+: .*'submitted'/) })
  })
})

describe('@tributary/cli', () => {
  const asked = ['pull', service.baseUrl, '--program', slug]
  const start = (runtime: string, args: readonly string[], cwd: string, more: Record<string, string> = {}) =>
    startTool(key, ['-C', cwd, runtime, command, ...args], ['env'], more)
  const pull = async (runtime: string, out: readonly string[], cwd: string, more: Record<string, string> = {}) =>
    endOf(start(runtime, [...asked, ...out], cwd, more))
  const outputs = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder)
        .filter(name => !name.endsWith('.pull') && !name.startsWith('.'))
        .map(name => [name, Bun.hash(readFileSync(join(folder, name))).toString(16)]),
    )

  describe.each(
    here([
      ['Node.js', node, needs('node')],
      ['Bun', process.execPath, true],
    ]),
  )('under %s', (_, runtime) => {
    test('prints its version and help', async () => {
      const said = async (arg: string) => (await endOf(start(runtime, [arg], withCli))).out
      expect(await said('--version')).toBe(`${version} (c0ffee)\n`)
      expect(await said('--help')).toMatch(/^ {2}pull {2,}\S/m)
    })

    test.each([
      ['ndjson', 1],
      ['csv', 3],
      ['parquet', 3],
    ])(
      'pulls .%s files identical to those of this checkout, adds to them, and verifies them',
      async (format, files) => {
        const [theirs, ours, name] = [await useFolder(), await useFolder(), `apps.${format}`]
        const { code, err } = await pull(runtime, ['--out', name], theirs)
        expect([code, err]).toEqual([0, expect.not.stringContaining('Warning')])
        expect(await callTool(key, [...asked, '--out', join(ours, name)])).toMatchObject({ code: 0 })
        expect(await pull(runtime, ['--out', name, '--since-last'], theirs)).toMatchObject({ code: 0 })
        expect(await endOf(start(runtime, ['verify', name], theirs))).toMatchObject({ code: 0, err: '' })
        expect(Object.keys(outputs(theirs))).toHaveLength(files)
        expect(outputs(theirs)).toEqual(outputs(ours))
      },
    )

    test('fills a database, and prints types and lines', async () => {
      const [folder, target] = [await useFolder(), await useBareDatabase()]
      expect(await pull(runtime, ['--to', target.url], folder)).toMatchObject({ code: 0 })
      const [counted] = await target.sql`
        select count(*)::integer as applications, count(distinct application_id)::integer as ids
        from ${target.sql('utility_assistance')}.applications`
      expect(counted).toEqual({ applications: ids.length, ids: ids.length })
      const { out } = await pull(runtime, ['--out', '-', '--quiet'], folder)
      expect(out.trim().split('\n')).toHaveLength(ids.length)
      expect(await endOf(start(runtime, ['types', ...asked.slice(1)], folder))).toMatchObject({
        code: 0,
        out: expect.stringContaining('export type Application = {'),
      })
    })

    test('follows into a folder, even after it was killed and started again', async () => {
      const folder = join(await useFolder(), 'apps')
      const args = ['pull', service.baseUrl, '--program', followed, '--out', `${folder}/`, '--follow']
      const follow = () => start(runtime, args, dirname(folder))
      const ofService = new ExportClient(service, key, followed)
      const filed = () =>
        readdirSync(folder)
          .filter(name => /^\d+\.json$/.test(name))
          .map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as ExportedApplication)
      const isAsTheService = () =>
        until('the folder to be as the service', async () => {
          if (!existsSync(folder)) return false
          const byId = (all: ExportedApplication[]) =>
            new Map(all.map(application => [application.application_id, application]))
          return Bun.deepEquals(byId(filed()), byId(await ofService.walkAll()))
        })
      let running = follow()
      await isAsTheService()
      running.kill('SIGKILL')
      await endOf(running)
      const [{ program_id }] =
        (await database.sql`select program_id from program where slug = ${followed}`) as unknown as [
          { program_id: number },
        ]
      const application_id = Math.max(...filed().map(application => application.application_id))
      await eraseApplication(
        database.sql,
        { program_id, application_id },
        { actor: 'operator:test', reason: undefined },
      )
      running = follow()
      await isAsTheService()
      running.kill('SIGTERM')
      expect(await endOf(running)).toMatchObject({ code: 3 })
    })

    test('refuses a second pull at the same time, but not after the first was killed', async () => {
      const folder = await useFolder()
      const args = ['--out', 'apps.ndjson', '--page-size', '5', '--checkpoint', '0']
      const first = start(runtime, [...asked, ...args], folder)
      await until('a checkpoint', () => readdirSync(folder).includes('apps.ndjson.part'))
      first.kill('SIGSTOP')
      expect(await pull(runtime, args, folder)).toMatchObject({ code: 5 })
      first.kill('SIGKILL')
      await endOf(first)
      expect(await pull(runtime, args, folder)).toMatchObject({ code: 0 })
    })
  })

  test.skipIf(!needs('node'))('uses the proxy named by HTTPS_PROXY under Node.js, as under Bun', async () => {
    const { service: secured, key: itsKey } = await useExport({ applications: 3, service: { tls: testCertificate } })
    const [proxy, folder] = [await useConnectProxy(), await useFolder()]
    writeFileSync(join(folder, 'authority.pem'), testCertificate.cert)
    const through = { NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'), HTTPS_PROXY: proxy.url }
    const args = ['pull', secured.baseUrl, '--program', 'raw', '--out', join(folder, 'apps.ndjson'), '--retries', '0']
    const pulled = async (environment: Record<string, string>) =>
      endOf(startTool(itsKey, args, [node, command], environment))
    expect(await pulled(through)).toMatchObject({ code: 0 })
    expect(new Set(proxy.connections)).toEqual(new Set([new URL(secured.baseUrl).host]))
    proxy.connections.length = 0
    expect(await pulled({ ...through, NO_PROXY: '127.0.0.1' })).toMatchObject({ code: 0 })
    expect(proxy.connections).toEqual([])
    expect(await pulled({ HTTPS_PROXY: proxy.url })).toMatchObject({
      code: 1,
      err: expect.stringContaining('NODE_EXTRA'),
    })
  })

  test.skipIf(!needs('node20'))(
    'reports a Node.js that is too old in one sentence, with the required version',
    async () => {
      const { code, out, err } = await endOf(start(node20, ['pull', '--help'], withCli))
      expect({ code, out, lines: err.trim().split('\n') }).toEqual({
        code: 1,
        out: '',
        lines: [expect.stringMatching(/Node\.js 22\.13\b.* 20\..*npx/)],
      })
    },
  )

  test.skipIf(!needs('node'))('runs with npx by its package name', async () => {
    const env = { ...environment, PATH: `${dirname(node)}:${process.env.PATH}` }
    const said = await outputOf(['npx', '--no', '--', '@tributary/cli', '--version'], { cwd: withCli, env })
    expect(said).toBe(`${version} (c0ffee)\n`)
  })
})
