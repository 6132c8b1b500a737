// Everything that OPERATIONS.md says to run is run as it is written there, by the logins that it names, on an installation whose worker has
// processed jobs and delivered a webhook. Blocks marked as examples there, and Docker, are not.

import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod, chown, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { addWebhook } from '../../src/core/webhooks/endpoints.ts'
import { useDefaultLogins } from '../support/default-logins.ts'
import { useFolder, usePool } from '../support/fixtures.ts'
import { useInstalledPostgres } from '../support/installed-postgres.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { Clients, Installation } from '../support/operated-installation.ts'
import { endProcesses } from '../support/processes.ts'
import { aProgram, q } from '../support/programs.ts'
import { useReceiver } from '../support/receiver.ts'
import { filled, leftOut, written } from '../support/runbook.ts'
import { until } from '../support/until.ts'

const slug = 'utility-assistance'
const password = randomBytes(24).toString('hex')
const withLogin = (url: string, username: string): string => Object.assign(new URL(url), { username, password }).href

afterAll(endProcesses)

/** The default installation, in use: jobs have run, and webhooks were delivered. */
async function inUse(): Promise<Clients> {
  written('mkdir -m 700 secrets')
  const archive = await useFolder()
  await chmod(archive, 0o777)
  const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, synchronous_commit: 'on' }
  const installation = new Installation(await useDefaultLogins(settings, ['web2', 'work2', 'desk2', 'backup']))
  await installation.open()
  await installation.follow('scripts/migrate --roles')
  const sql = usePool({ url: installation.urls.owner!, connectionsMax: 2, applicationName: 'test' })
  const program = await aProgram(sql, { slug, questions: [q.text('words', { optional: true })], computed: true })
  const key = await createTestKey(sql, { programs: [slug], maySubmit: true })
  const receiver = useReceiver()
  const rules = { keys: [Buffer.from(installation.settings.WEBHOOK_KEYS!, 'base64')], allowedNetworks: [] }
  const by = { actor: 'operator:test', now: Date.now() * 1000 }
  await addWebhook(sql, rules, { program_id: program.program_id, slug, url: new URL(receiver.url) }, by)
  await installation.restartAll()
  const clients = new Clients(installation, key, receiver, slug)
  for (const _ of [1, 2, 3]) await clients.submit()
  await until('docs', async () => (await sql`select from docs_example`).length > 0)
  return clients
}

describe.skipIf(!needs('postgresql15', 'openssl'))('OPERATIONS.md', () => {
  test('has working steps for creating logins, upgrades, backup, restore, failover and the rotation of every secret', async () => {
    await makeLogins()
    const clients = await inUse()
    await upgrade(clients)
    await restoreDump(clients)
    await failOver(clients)
    await rotateKeys(clients)
    await rotateLogins(clients)
    await rotateAccess(clients)
    await clients.installation.stopAll()
    const { owner } = clients.installation.urls
    await clients.installation.state('alter table application reset', owner!)
    expect(leftOut()).toEqual([])
  }, 400_000)
})

/** Roles and logins, made by an owner that may create roles. */
async function makeLogins(): Promise<void> {
  const server = await useInstalledPostgres()
  const psql = (url: string, text: string) => server.run('psql', url, '-v', 'ON_ERROR_STOP=1', '-qAtc', text)
  await psql(server.url, `create role owner login createrole`)
  await psql(server.url, 'create database tributary owner owner')
  const url = Object.assign(new URL(server.addressOf('tributary')), { username: 'owner' }).href
  const operator = new Installation({
    server,
    secrets: '',
    addressOf: async () => url,
    psql: text => psql(server.url, text!),
  })
  await operator.open()
  await psql(server.url, written('create role tributary_service nologin'))
  await operator.follow('DATABASE_URL="$OWNER_URL" scripts/migrate --roles', { '…': password })
  await psql(server.addressOf('tributary'), filled('revoke temporary on database', {}))
  for (const login of ['web', 'work', 'desk', 'follow'])
    expect(await psql(Object.assign(new URL(url), { username: login }).href, 'select count(*) from program')).toBe('0')
}

async function upgrade(clients: Clients): Promise<void> {
  const { installation } = clients
  const [ids, token] = [await clients.ids(), await clients.token()]
  await installation.follow('systemctl start tributary-migrate')
  await installation.follow('systemctl restart tributary@1')
  await installation.follow('scripts/migrate --roles --finish')
  expect(await clients.ids()).toEqual(ids)
  expect((await clients.ask(`nextPageToken=${token}`)).status).toBe(200)
  await clients.submit()
  expect(await installation.follow('scripts/audit verify')).toContain('intact')
}

async function restoreDump(clients: Clients): Promise<void> {
  const { installation } = clients
  const { urls } = installation
  const ids = await clients.ids()
  const seal = await until('a seal', async () => /[^\s]+$/.exec(await installation.follow('scripts/audit verify'))?.[0])
  await installation.follow('pg_dump --format=custom')
  await installation.stopAll()
  const original = { ...urls }
  for (const [login, url] of Object.entries(original)) urls[login] = url.replace(/\/tributary$/, '/restored')
  // Into the server it was made on, which cannot be detected.
  await installation.state('truncate database_history', urls.owner!)
  await installation.follow('scripts/migrate --roles')
  await installation.restartAll()
  await installation.follow('scripts/audit verify --seal', { '<the last seal you kept>': `'${seal}'` })
  expect(await clients.ids()).toEqual(ids)
  expect(await clients.submit()).toBeGreaterThan(10_000_000)
  await installation.stopAll()
  Object.assign(urls, original)
  await installation.restartAll()
}

async function failOver(clients: Clients): Promise<void> {
  const { installation } = clients
  const { server } = installation.logins
  const ids = await clients.ids()
  installation.urls.backup = withLogin(server.url, 'backup')
  await installation.follow('psql "$SUPERUSER_URL" -c "create role backup', { '…': password })
  const base = join(installation.backup, 'base')
  const { uid, gid } = await stat(server.dataDirectory)
  for (const name of ['', ...new Bun.Glob('**').scanSync({ cwd: base, dot: true, onlyFiles: false })])
    await chown(join(base, name), uid, gid)
  await Bun.write(join(base, 'standby.signal'), '')
  const { port } = new URL(server.url)
  const primary_conninfo = `host=127.0.0.1 port=${port} user=backup password=${password}`
  const standby = await useInstalledPostgres({ primary_conninfo }, base)
  const last = await clients.submit()
  const standbySql = usePool({ url: standby.addressOf('tributary'), connectionsMax: 1, applicationName: 'test' })
  // An attempt without an outcome would count as lost a minute later, and the next message would wait until then.
  await until('the standby to have it and the outcome of its delivery', async () => {
    const found = await standbySql`
      select from application, webhook_endpoint where application_id = ${last} and busy_until <= clock_timestamp()`
    return found.length > 0
  })
  await server.stop()
  await standby.run('psql', standby.url, '-qAtc', 'select pg_promote()')
  await until(
    'the promotion',
    async () => (await installation.state('select pg_is_in_recovery()', standby.url)) === 'f',
  )
  for (const [login, url] of Object.entries(installation.urls))
    installation.urls[login] = Object.assign(new URL(url), { port: String(standby.port) }).href
  installation.superuser = standby.url
  await installation.restartAll()
  expect(await clients.ids()).toEqual([...ids, last])
  expect(await clients.submit()).toBeGreaterThan(10_000_000)
}

async function rotateKeys(clients: Clients): Promise<void> {
  const { installation } = clients
  const { settings } = installation
  const fresh = () => installation.follow('openssl rand -base64 32')
  const [old, next] = [settings.PAGE_TOKEN_KEYS!, await fresh()]
  const token = await clients.token()
  const statusOf = async () => (await clients.ask(`nextPageToken=${token}`)).status
  for (const [keys, status] of [
    [`${old},${next}`, 200],
    [`${next},${old}`, 200],
    [next, 400],
  ] as const) {
    settings.PAGE_TOKEN_KEYS = keys
    await installation.restartAll()
    expect(await statusOf()).toBe(status)
  }
  settings.WEBHOOK_KEYS = `${await fresh()},${settings.WEBHOOK_KEYS}`
  await installation.restartAll()
  await clients.submit()
}

async function rotateLogins(clients: Clients): Promise<void> {
  const { installation } = clients
  const { urls, superuser } = installation
  for (const [login, group] of [
    ['web', 'tributary_service'],
    ['work', 'tributary_worker'],
    ['desk', 'tributary_console'],
  ] as const) {
    const fill = { web2: `${login}2`, tributary_service: group, '…': password }
    await installation.state('create role web2', superuser, fill)
    urls[login] = withLogin(urls[login]!, `${login}2`)
    await installation.restartAll()
    await installation.state('drop role web', superuser, { web: login })
  }
  await clients.submit()
  await installation.state('alter role owner password', urls.owner!, { '…': password })
  urls.owner = withLogin(urls.owner!, 'owner')
  await installation.follow('scripts/migrate --roles')
}

async function rotateAccess(clients: Clients): Promise<void> {
  const { installation, key } = clients
  const made = await installation.follow(
    'scripts/api-key create',
    {},
    ` --name New --programs ${slug} --expires 9d --subnets anywhere`,
  )
  const [username, secret] = ['Username', 'Password'].map(word => new RegExp(`${word}:?\\s+(\\S+)`).exec(made)![1]!)
  const authorization = `Basic ${btoa(`${username}:${secret}`)}`
  expect((await clients.ask('', authorization)).status).toBe(200)
  expect(await installation.follow('scripts/api-key list')).toContain(key.username)
  await installation.follow('scripts/api-key retire <old>', { '<old>': key.username })
  expect([(await clients.ask('')).status, (await clients.ask('', authorization)).status]).toEqual([401, 200])
  installation.settings.API_KEY_PEPPER = randomBytes(48).toString('base64')
  await installation.restartAll()
  expect((await clients.ask('', authorization)).status).toBe(401)
  await installation.follow('scripts/api-key retire', {}, ` ${username}`)
  await installation.state('delete from console_session', installation.urls.owner!)
  await installation.state('delete from apply_session', installation.urls.owner!)
  await installation.shell("scripts/admin create you@example.gov 'Your Name'")
  expect(await installation.follow('scripts/admin link', { '<email>': 'you@example.gov' })).toContain('/admin/')
  await installation.follow('scripts/audit prune', {}, ` --before 400 --to "$BACKUP"`)
}
