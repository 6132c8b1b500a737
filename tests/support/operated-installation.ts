// The default installation as OPERATIONS.md has it run: its processes under their units' names, an operator's shell, and the clients.

import { expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { testCertificate } from './certificate.ts'
import { testPepper } from './config.ts'
import type { DefaultLogins } from './default-logins.ts'
import { endWithFile, useFolder } from './fixtures.ts'
import { FrontEnd } from './front-end.ts'
import type { TestKey } from './keys.ts'
import { startMain, startWorker, type TestMain, type TestProcess } from './processes.ts'
import type { Receiver } from './receiver.ts'
import { type Ended, run } from './run.ts'
import { filled } from './runbook.ts'
import { until } from './until.ts'

const root = join(import.meta.dir, '../..')
const bin = '/usr/lib/postgresql/15/bin'

/** The processes of the units, each with its settings; `systemctl` in the page leads here. */
export class Installation {
  readonly settings: Record<string, string> = {
    PAGE_TOKEN_KEYS: randomBytes(32).toString('base64'),
    API_KEY_PEPPER: testPepper,
    WEBHOOK_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  }
  /** By login. */
  readonly urls: Record<string, string> = {}
  readonly running = new Map<string, TestMain | TestProcess>()
  /** A folder. */
  backup = ''
  #systemctl = ''

  /** The URL for a superuser. */
  superuser: string

  constructor(readonly logins: DefaultLogins) {
    this.superuser = logins.server.url
  }

  async open(): Promise<void> {
    for (const login of ['owner', 'web', 'work', 'desk']) this.urls[login] = await this.logins.addressOf(login)
    const folder = await useFolder()
    this.settings.NODE_EXTRA_CA_CERTS = join(folder, 'receiver.pem')
    await Bun.write(this.settings.NODE_EXTRA_CA_CERTS, testCertificate.cert)
    this.backup = await useFolder()
    // PostgreSQL's account writes there, too.
    await chmod(this.backup, 0o777)
    const control = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: request => this.#control(request),
    })
    endWithFile(() => control.stop(true))
    this.#systemctl = join(folder, 'bin')
    const script = `const r = await fetch('${control.url}' + process.argv.slice(2).join('/')); console.error(await r.text()); process.exit(r.ok ? 0 : 1)`
    await Bun.write(join(this.#systemctl, 'systemctl'), `#!${process.execPath}\n${script}\n`)
    await chmod(join(this.#systemctl, 'systemctl'), 0o755)
  }

  async #control(request: Request): Promise<Response> {
    const [verb, unit] = new URL(request.url).pathname.slice(1).split('/') as [string, string]
    if (verb === 'restart') await this.restart(unit)
    else {
      const text = await Bun.file(join(root, 'deploy/systemd', `${unit}.service`)).text()
      const started = /^ExecStart=(.*)$/m.exec(text)![1]!.replace('/usr/local/bin/', 'scripts/')
      expect(await this.shell(started)).toMatchObject({ code: 0 })
    }
    return new Response('')
  }

  /** Starts another process in its place, and ends the old one when the new one is ready. */
  async restart(unit: string): Promise<void> {
    const { work, web, desk } = this.urls
    const before = this.running.get(unit)
    const next =
      unit === 'tributary-worker'
        ? await startWorker({ url: work! }, this.settings)
        : await startMain({ url: web! }, { CONSOLE_DATABASE_URL: desk!, ...this.settings })
    this.running.set(unit, next)
    before?.child.kill('SIGTERM')
    if (before !== undefined) expect(await before.child.exited).toBe(0)
  }

  async restartAll(): Promise<void> {
    for (const unit of ['tributary@1', 'tributary@2', 'tributary-worker']) await this.restart(unit)
  }

  async stopAll(): Promise<void> {
    for (const { child } of this.running.values()) {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    }
    this.running.clear()
  }

  /** Like a shell of the operator. */
  shell(text: string, environment: Record<string, string> = {}): Promise<Ended> {
    const { owner, backup = '' } = this.urls
    return run(['sh', '-eu', '-c', text], {
      cwd: root,
      env: {
        PATH: `${this.#systemctl}:${bin}:${process.env.PATH}`,
        HOME: process.env.HOME,
        TRIBUTARY_ENV: 'development',
        TRIBUTARY_DATA: join(this.backup, 'none'),
        API_KEY_PEPPER: this.settings.API_KEY_PEPPER,
        INSTANCE_TIME_ZONE: 'UTC',
        DATABASE_URL: owner,
        OWNER_URL: owner,
        BACKUP_URL: backup,
        SUPERUSER_URL: this.superuser,
        RESTORED_URL: owner?.replace(/\/tributary$/, '/restored'),
        BACKUP: this.backup,
        ...environment,
      },
    })
  }

  /** Runs a command from the page, with its placeholders replaced and `more` at its end; it must succeed. Returns its output. */
  async follow(beginning: string, fill: Record<string, string> = {}, more = ''): Promise<string> {
    const text = `${filled(beginning, fill)}${more}`
    const { code, out, err } = await this.shell(text)
    if (code !== 0) throw new Error(`${text} ended with ${code}: ${err}`)
    return out.trim()
  }

  /** Runs statements from the page, as the login of this URL. */
  async state(beginning: string, url: string, fill: Record<string, string> = {}): Promise<string> {
    return this.logins.server.run('psql', url, '-v', 'ON_ERROR_STOP=1', '-qAt', '-c', filled(beginning, fill))
  }
}

/** The actions of a client and a webhook receiver. */
export class Clients {
  constructor(
    readonly installation: Installation,
    readonly key: TestKey,
    readonly receiver: Receiver,
    readonly slug: string,
  ) {}

  ask(query: string, authorization = this.key.authorization, unit = 'tributary@1'): Promise<Response> {
    const { url } = this.installation.running.get(unit) as TestMain
    return fetch(`${url}/api/v1/admin/programs/${this.slug}/applications?${query}`, {
      headers: { Authorization: authorization },
    })
  }

  async ids(): Promise<number[]> {
    const response = await this.ask('pageSize=1000')
    expect(response.status).toBe(200)
    return ((await response.json()) as { payload: { application_id: number }[] }).payload.map(
      item => item.application_id,
    )
  }

  async token(): Promise<string> {
    return ((await (await this.ask('pageSize=1')).json()) as { nextPageToken: string }).nextPageToken
  }

  /** Submits, and waits until the worker has notified the receiver. */
  async submit(): Promise<number> {
    const { url } = this.installation.running.get('tributary@1') as TestMain
    const frontEnd = new FrontEnd({ get: (path, init) => fetch(`${url}${path}`, init) }, this.key, this.slug)
    const told = this.receiver.received.length
    const { application_id } = await frontEnd.apply(await frontEnd.register(), { words: { text: 'one' } })
    await until('a webhook', () => this.receiver.received.length > told)
    return application_id
  }
}
