// A PostgreSQL with the logins of the default installation, made as OPERATIONS.md and deploy/compose have it: secrets are files, each login
// must give its password, and the owner of the schema is a login like any other.

import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useFolder } from './fixtures.ts'
import { useInstalledPostgres } from './installed-postgres.ts'

const root = join(import.meta.dir, '../..')
const logins = ['owner', 'web', 'work', 'desk', 'follow']

export interface DefaultLogins {
  server: Awaited<ReturnType<typeof useInstalledPostgres>>
  /** The folder with the secrets; URLs in it lead to the host `postgres`. */
  secrets: string
  /** The database's URL for a login, on this machine. */
  addressOf(login: string): Promise<string>
  /** As a superuser. */
  psql(...args: string[]): Promise<string>
}

/** Ends with the test file. `mayLogIn`: additional logins, which must also give a password. */
export async function useDefaultLogins(
  settings: Record<string, string> = {},
  mayLogIn: string[] = [],
): Promise<DefaultLogins> {
  const server = await useInstalledPostgres(settings)
  const secrets = await makeSecrets(server.port)
  const psql = (...args: string[]) => server.run('psql', server.url, '-v', 'ON_ERROR_STOP=1', '-qAt', ...args)
  const script = join(await useFolder(), 'create-logins.sql')
  const text = await Bun.file(join(root, 'deploy/compose/create-logins.sql')).text()
  await Bun.write(script, text.replaceAll('/run/secrets', secrets))
  await psql('-f', script)
  const rules = join(server.dataDirectory, 'pg_hba.conf')
  const trusting = await Bun.file(rules).text()
  const known = [...logins, ...mayLogIn].join(',')
  await Bun.write(
    rules,
    ['all', 'replication'].map(what => `host ${what} ${known} 127.0.0.1/32 scram-sha-256\n`).join(''),
  )
  await appendFile(rules, trusting)
  await psql('-c', 'select pg_reload_conf()')
  const addressOf = async (login: string): Promise<string> => {
    const url = new URL((await Bun.file(join(secrets, `${login}_database_url`)).text()).trim())
    url.hostname = '127.0.0.1'
    return url.href
  }
  return { server, secrets, addressOf, psql }
}

/** The secrets as generated in the first ten minutes, with the port of this server. */
export async function makeSecrets(port: number): Promise<string> {
  const folder = await useFolder()
  const operations = await Bun.file(join(root, 'deploy/OPERATIONS.md')).text()
  const example = [...operations.matchAll(/```sh\n(.*?)```/gs)].find(([, text]) =>
    text!.includes('mkdir -m 700 secrets'),
  )
  const made = Bun.spawnSync(['sh', '-eu', '-c', example![1]!.replaceAll(':5432/', `:${port}/`)], { cwd: folder })
  if (!made.success) throw new Error(made.stderr.toString())
  return join(folder, 'secrets')
}
