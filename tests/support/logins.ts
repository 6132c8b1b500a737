// Logins with the rights of one role and no others, as an installation has them.

import { grantRoles } from '../../src/db/distribution.ts'
import type { TestDatabase } from './database.ts'
import { endWithFile } from './fixtures.ts'

type Role = 'tributary_service' | 'tributary_worker' | 'tributary_console' | 'tributary_follower'

let logins = 0

/** The URL of this database for a new login that is a member of this role only. */
export async function useLogin(
  database: Pick<TestDatabase, 'url' | 'sql'>,
  role: Role,
  endWith = endWithFile,
): Promise<string> {
  const login = `${role}_${process.pid}_${++logins}`
  await grantRoles(database.sql)
  await database.sql.unsafe(`create role ${login} login in role ${role}`)
  endWith(() => database.sql.unsafe(`drop owned by ${login}; drop role ${login}`).simple())
  const url = new URL(database.url)
  url.username = login
  url.password = ''
  return url.href
}
