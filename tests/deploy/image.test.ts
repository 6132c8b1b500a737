// The image and compose.yaml, as far as can be shown without a container engine: what Dockerfile copies is built by its commands in a clean
// folder, and what compose.yaml starts is started from their outcome, as an engine would.

import { afterEach, describe, expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { engines } from '../../package.json'
import { freePort } from '../../scripts/processes/free-port.ts'
import { otherSettings, settings } from '../../src/config/all-settings.ts'
import { parseDuration } from '../../src/config/kinds/durations.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { openDatabase } from '../../src/db/client.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { makeSecrets, useDefaultLogins } from '../support/default-logins.ts'
import { endWithFile, useFolder } from '../support/fixtures.ts'
import { type Image, jailed } from '../support/jail.ts'
import { findNeeded, needs } from '../support/needs.ts'
import { endProcesses, logged, spawnProcess } from '../support/processes.ts'
import { outputOf, run } from '../support/run.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '../..')
const dockerfile = await Bun.file(join(root, 'Dockerfile')).text()
/** What follows a name, of each instruction that has it. */
const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, rest]) => rest!)
const compose = Bun.YAML.parse(await Bun.file(join(root, 'compose.yaml')).text()) as Compose
const ours = Object.entries(compose.services).filter(([, { image }]) => image.startsWith('tributary:'))

const operations = await Bun.file(join(root, 'deploy/OPERATIONS.md')).text()
const units: Record<string, string> = {
  service: 'tributary@.service',
  worker: 'tributary-worker.service',
  follower: 'tributary-follower.service',
}
/** Each secret with a process that has it, as the table of OPERATIONS.md says. TLS_KEY is the name of a file itself. */
const secretsOf = [...operations.matchAll(/^\| (`[A-Z].*?) \| (.*?) \| ?(.*?) \| ?(.*?) \| .*$/gm)].flatMap(
  ([, names, ...cells]) =>
    [...names!.matchAll(/`([A-Z_]+)`/g)].flatMap(([, name]) =>
      Object.keys(units).flatMap((process, i) =>
        cells[i]?.trim() === 'yes' && name !== 'TLS_KEY' ? [[name!, process] as const] : [],
      ),
    ),
)

/** The lines of the file `settings`. */
const settingsFile = {
  BASE_URL: 'https://apply.example.gov',
  TRUSTED_PROXIES: '127.0.0.0/8',
  INSTALLATION_NAME: 'Arden',
  CIVIFORM_BASE_URL: 'https://forms.example.gov',
}

interface Compose {
  services: Record<string, Service>
  secrets: Record<string, { file: string }>
  volumes: Record<string, unknown>
}

interface Service {
  image: string
  command: string[]
  environment: Record<string, string>
  secrets?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck: { test: string[]; disable?: boolean }
  [other: string]: unknown
}

afterEach(endProcesses)

test('every group role of src/db/roles.sql is created before the migration, whose owner cannot create roles', async () => {
  const [roles, logins] = await Promise.all(
    ['src/db/roles.sql', 'deploy/compose/create-logins.sql'].map(path => Bun.file(join(root, path)).text()),
  )
  const made = (text: string): string[] =>
    [...text.matchAll(/create role (\w+) nologin/g)].map(match => match[1]!).sort()
  expect(made(logins!)).toEqual(made(roles!))
})

describe('Dockerfile', () => {
  test('builds with the pinned Bun, and results in only the copied files and an unprivileged user', () => {
    expect(instructions('ARG')[0]).toBe(`BUN_IMAGE=oven/bun:${engines.bun}-slim`)
    expect(instructions('FROM')).toEqual([`\${BUN_IMAGE} AS build`, 'scratch'])
    expect(instructions('USER')).toEqual([expect.stringMatching(/^[1-9]\d{3,}:[1-9]\d{3,}$/)])
    expect(dockerfile.split('FROM scratch')[1]).toContain('COPY --from=build /app/image /\n')
  })

  test('installs exactly the lockfile, without running package scripts', () => {
    expect(instructions('RUN')[0]).toBe('bun install --frozen-lockfile --production --ignore-scripts')
  })

  test('.dockerignore admits exactly the files that are copied', async () => {
    const lines = (await Bun.file(join(root, '.dockerignore')).text()).trimEnd().split('\n')
    const copied = sourcesCopied().map(([source]) => `!${source}`)
    expect(lines.filter(line => !line.startsWith('#')).sort()).toEqual(['*', ...copied].sort())
  })
})

describe('compose.yaml', () => {
  test('runs the image for migration, service, worker and follower', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'service', 'worker', 'follower'])
  })

  test.each(ours)('%s has only known settings, with which it can start', (name, service) => {
    const names = Object.values(settings).map(setting => setting.name as string)
    for (const variable of Object.keys(service.environment)) expect(names).toContain(variable.replace(/_FILE$/, ''))
    const values: Record<string, string> = {
      PAGE_TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64'),
      API_KEY_PEPPER: 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx',
      DATABASE_URL: 'postgres://a@b/c',
    }
    const given = Object.entries(service.environment).map(([name, text]) => {
      const setting = name.replace(/_FILE$/, '')
      const inFile = values[setting] ?? (/DATABASE.*_URL$/.test(setting) ? values.DATABASE_URL! : '')
      return [setting, name === setting ? text : inFile]
    })
    const environment = { ...settingsFile, ...Object.fromEntries(given) }
    const config = name === 'service' ? loadConfig(environment) : loadConfig(environment, otherSettings)
    expect(config.environment).toBe('production')
    expect(parseDuration(String(service.stop_grace_period))).toBeGreaterThan(config.drainTimeoutMs + 10_000)
  })

  test.each(ours)('%s names exactly the secret files that it receives', (_, service) => {
    const named = Object.entries(service.environment).filter(([name]) => name.endsWith('_FILE'))
    expect(named.map(([, path]) => path.replace('/run/secrets/', '')).sort()).toEqual([...service.secrets!].sort())
    for (const secret of service.secrets!) expect(compose.secrets).toHaveProperty(secret)
  })

  test.each(ours)("%s has the service's secrets only if it is the service", (name, service) => {
    const given = [...Object.keys(service.environment), ...service.secrets!]
    const keySecrets = given.filter(value => /page_token_keys|api_key_pepper/i.test(value))
    expect(keySecrets).toHaveLength(name === 'service' ? 4 : 0)
  })

  test.each(Object.entries(compose.services))('%s has no privileges, whatever its image', (_, service) => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  })

  test('postgres keeps the answers of a rejected row out of its log', () => {
    expect(compose.services.postgres).toMatchObject({ command: ['postgres', '-c', 'log_error_verbosity=terse'] })
  })

  test.each(ours)('%s has a read-only file system, no privileges and bounded memory', (_, service) => {
    expect(service).toHaveProperty('mem_limit')
    expect(service.ulimits).toEqual({ nofile: 65536 })
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
  })

  test('starts the database, then the migration by the owner, then the processes with their own logins', () => {
    expect(compose.services.migrate!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    expect(compose.services.migrate!.environment.DATABASE_URL_FILE).toBe('/run/secrets/owner_database_url')
    for (const name of ['service', 'worker', 'follower']) {
      expect(compose.services[name]!.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
      expect(compose.services[name]!.secrets).not.toContain('owner_database_url')
    }
  })

  test('pins every third-party image to a version, which a variable can override, for example with a digest', () => {
    const others = Object.entries(compose.services).filter(([, { image }]) => !image.startsWith('tributary:'))
    for (const [name, { image }] of others) {
      const [, variable, usual] = /^\$\{(\w+):-(.*)\}$/.exec(image) ?? []
      expect(variable).toBe(`${name.toUpperCase()}_IMAGE`)
      expect(usual).toMatch(/^[\w/]+:v?\d+\.\d+(\.\d+)?(-\w+)?$/)
    }
  })

  test.each(ours)('%s reads every setting from the file that systemd also reads, or from a secret', (_, service) => {
    expect(service.env_file).toBe(`\${SETTINGS:-./settings}`)
    // Given here is only what belongs to the container: what is given empty would hide a line of that file.
    expect(Object.keys(service.environment).filter(name => !name.endsWith('_FILE'))).toEqual(
      service.command[0] === 'serve' ? ['HOST', 'PORT'] : [],
    )
  })

  test.each(secretsOf)('%s is a file for the %s in compose.yaml and in its systemd unit', async (setting, name) => {
    const container = compose.services[name]!
    const path = container.environment[`${setting}_FILE`]!
    expect(container.secrets).toContain(path.replace('/run/secrets/', ''))
    const text = await Bun.file(join(root, 'deploy/systemd', units[name]!)).text()
    expect(text).toMatch(
      new RegExp(`^Environment=.*\\b${setting}_FILE=%d/${path.replace('/run/secrets/', '')}\\b`, 'm'),
    )
  })

  test('the table of secrets has every secret setting', () => {
    const rows = operations
      .split('\n')
      .filter(line => /^\| `[A-Z]/.test(line))
      .join('\n')
    for (const { name, secret } of Object.values(settings)) if (secret) expect(rows).toContain(`\`${name}\``)
  })
})

test('service and worker share a volume for uploaded files, whose folder belongs to their user and is valid in the settings', () => {
  const [, folder] = /`FILES_DIR=(\S+)`/.exec(operations)!
  const mounting = ours.filter(([, { volumes }]) => volumes !== undefined)
  expect(mounting.map(([name, { volumes }]) => [name, volumes])).toEqual([
    ['service', [`files:${folder}`]],
    ['worker', [`files:${folder}`]],
  ])
  expect(compose.volumes).toHaveProperty('files')
  const [user] = instructions('USER')
  expect(instructions('COPY')).toContain(`--from=build --chown=${user} /app/files ${folder}`)
  expect(instructions('RUN')).toContain('mkdir --mode=700 files')
  const secrets = { DATABASE_URL: 'postgres://a@b/c', PAGE_TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64') }
  const { filesDir } = loadConfig({
    ...secrets,
    API_KEY_PEPPER: 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx',
    FILES_DIR: folder,
  })
  expect(filesDir).toEqual({ folder: folder! })
})

describe.skipIf(!needs('redis', 'openssl'))('the Valkey of compose.yaml', () => {
  test('Valkey requires the password in valkey_url', async () => {
    const secrets = await makeSecrets(5432)
    const port = await freePort()
    const [, conf, ...options] = compose.services.valkey!.command
    const file = conf!.replace('/run/secrets', secrets)
    const server = Bun.spawn([findNeeded('redis')!, file, ...options, '--port', String(port), '--bind', '127.0.0.1'], {
      cwd: await useFolder(),
      stdout: 'ignore',
      stderr: 'ignore',
    })
    endWithFile(() => server.kill('SIGKILL'))
    const given = (await Bun.file(join(secrets, 'valkey_url')).text())
      .trim()
      .replace('valkey:6379', `127.0.0.1:${port}`)
    const ask = async (url: string): Promise<string> => {
      const client = new Bun.RedisClient(url, { autoReconnect: false })
      const said = await client.ping().catch((error: Error) => error.message)
      client.close()
      return said
    }
    await until('it to answer', async () => (await ask(given)) === 'PONG')
    expect(await ask(given.replace(/:[^:@]+@/, ':wrong@'))).not.toBe('PONG')
    expect(await ask(`redis://127.0.0.1:${port}`)).toContain('NOAUTH')
  })
})

describe.skipIf(!needs('mounts', 'postgresql15', 'openssl'))('the processes of compose.yaml', () => {
  const hosts = ['postgres', 'localhost']

  async function startDatabase() {
    const { server, secrets, psql } = await useDefaultLogins()
    await psql('-c', 'create database civiform')
    const url = server.addressOf('civiform')
    const sql = openDatabase({ url, connectionsMax: 1, applicationName: 'test' })
    const drop = (): Promise<void> => sql.end({ timeout: 1 })
    endWithFile(drop)
    const { readerUrl } = await useCiviForm('2026', { database: { url, sql, drop } })
    await Bun.write(join(secrets, 'civiform_database_url'), `${readerUrl}\n`)
    return { secrets, psql }
  }

  test('migrate, serve, work and follow a CiviForm in the image, with their own roles, and stop on SIGTERM', async () => {
    const [{ secrets, psql }, image] = await Promise.all([startDatabase(), build()])
    expect(await filesOf(image)).toEqual(['tributary', ...(await librariesOf(image))].sort())

    const port = String(await freePort())
    const healthPort = String(await freePort())
    const [workerPort, followerPort] = [String(await freePort()), String(await freePort())]
    // What an operator sets, and what keeps tests on this machine apart.
    const changed = { HOST: '127.0.0.1', PORT: port }
    const healthPorts: Record<string, string> = { serve: healthPort, work: workerPort, follow: followerPort }
    const environmentOf = (service: Service) => ({
      ...Object.fromEntries(instructions('ENV').map(rest => rest.split('='))),
      ...settingsFile,
      ...service.environment,
      ...changed,
      HEALTH_PORT: healthPorts[service.command[0]!] ?? healthPort,
    })
    const entrypoint: string[] = JSON.parse(instructions('ENTRYPOINT')[0]!)
    /** Given by a file here, or left to its default. */
    const unset = { TRIBUTARY_ENV: '', PAGE_TOKEN_KEYS: '', API_KEY_PEPPER: '' }
    const start = async (name: string) => {
      const service = compose.services[name]!
      const command = await jailed(image, secrets, hosts, [...entrypoint, ...service.command])
      return spawnProcess(command, { url: '' }, { ...unset, ...environmentOf(service) })
    }
    const { code, out, err } = await run(
      await jailed(image, secrets, hosts, [...entrypoint, ...compose.services.migrate!.command]),
      { env: environmentOf(compose.services.migrate!) },
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/\btributary_service\b.*\btributary_worker\b/)

    const service = await start('service')
    const worker = await start('worker')
    await Promise.all([logged(service, 'listening'), logged(worker, 'working')])
    for (const name of ['service', 'worker']) {
      const [, program, ...args] = compose.services[name]!.healthcheck.test
      const probe = await jailed(image, secrets, hosts, [program!, ...args])
      expect(await run(probe, { env: environmentOf(compose.services[name]!) })).toMatchObject({ code: 0, err: '' })
    }
    const page = await fetch(`http://127.0.0.1:${port}/admin/sign-in`, {
      headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' },
    })
    expect([page.status, (await page.text()).includes('Arden')]).toEqual([200, true])
    // What is refused is noted by the console's login.
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/checkAuth`)).status).toBe(401)
    const follower = await start('follower')
    await logged(follower, 'following CiviForm')
    const connected = "select string_agg(distinct usename, ' ') from pg_stat_activity where datname = 'tributary'"
    await until('connections of each login', async () => (await psql('-c', connected)) === 'desk follow web work')
    const followed = 'select count(first_copied_at) from civiform_source'
    await until('a first copy', async () => (await psql('-c', '\\c tributary', '-c', followed)) === '1')
    for (const { child } of [service, worker, follower]) {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    }
  }, 240_000)

  /** This machine's programs in place of those of the base; PATH and HOME are the place of Bun, and of what it has downloaded already. */
  async function build(): Promise<Image> {
    const cwd = await useFolder()
    for (const [source, target] of sourcesCopied()) await cp(join(root, source), join(cwd, target), { recursive: true })
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TRIBUTARY_COMMIT: 'c0ffee' }
    for (const command of instructions('RUN')) await outputOf(['sh', '-c', command], { cwd, env })
    return { folder: join(cwd, 'image'), user: instructions('USER')[0]! }
  }
})

/** What Dockerfile copies out of the checkout, and where to below its folder. */
function sourcesCopied(): [source: string, target: string][] {
  return instructions('COPY').flatMap(rest => {
    const sources = rest.split(' ')
    const target = sources.pop()!
    if (sources[0]!.startsWith('--')) return []
    return sources.map((source): [string, string] => [source, target === './' ? basename(source) : target])
  })
}

const filesOf = async (image: Image): Promise<string[]> =>
  (await Array.fromAsync(new Bun.Glob('**').scan({ cwd: image.folder, dot: true }))).sort()

async function librariesOf(image: Image): Promise<string[]> {
  const listed = await Bun.$`ldd ${join(image.folder, 'tributary')}`.text()
  return [...new Set([...listed.matchAll(/\/\S+/g)].map(([path]) => path.slice(1)))]
}
