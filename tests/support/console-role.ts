// Connections with the rights of the console's own role, which sees and changes what it must and no more.

import { openDatabase, type Sql } from '../../src/db/client.ts'
import { grantRoles } from '../../src/db/distribution.ts'
import type { TestDatabase } from './database.ts'
import { endWithFile } from './fixtures.ts'

let logins = 0

/** A pool of the role `tributary_console`, until the file ends. */
export async function useConsoleRole({ sql, url }: TestDatabase): Promise<Sql> {
  await grantRoles(sql)
  const login = `console_login_${process.pid}_${++logins}`
  await sql.unsafe(`create role ${login} login in role tributary_console`)
  endWithFile(() => sql.unsafe(`drop owned by ${login}; drop role ${login}`).simple())
  const own = new URL(url)
  own.username = login
  const desk = openDatabase({ url: own.href, connectionsMax: 3, applicationName: 'test-desk' })
  endWithFile(() => desk.end({ timeout: 1 }))
  return desk
}
