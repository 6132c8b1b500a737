// Credentials for trying out a demo: a key for its programs and an administrator of its console, kept from one start to the next.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKey } from '../../src/core/keys/api-keys.ts'
import { acceptInvitation, invitePerson } from '../../src/core/people/people.ts'
import { verifySignIn } from '../../src/core/people/sessions.ts'
import type { Sql } from '../../src/db/client.ts'
import { readPeople } from '../../src/db/people/person-rows.ts'
import { dataFolder } from '../command-line/environment.ts'

/** The programs that scripts/seed creates. */
export const demoPrograms = ['utility-assistance', 'child-care-subsidy'] as const
/** The form front end of the demo key, which the sample applicants belong to. */
export const demoFrontEnd = 'demo'
/** The actor in the audit log who set up the demo. */
export const demoActor = 'operator:setup'
const demoKeyFile = join(dataFolder, 'demo-key.json')
const demoPersonFile = join(dataFolder, 'demo-person.json')

export interface DemoKey {
  username: string
  password: string
}

/** A key for the demo programs: the one from the last start if it still works, otherwise a new one. Readable only by its owner. */
export async function demoKey(sql: Sql, pepper: string, baseUrl: string): Promise<DemoKey> {
  const kept = await readKept<DemoKey>(demoKeyFile)
  if (kept !== undefined) {
    const Authorization = `Basic ${Buffer.from(`${kept.username}:${kept.password}`).toString('base64')}`
    const { status } = await fetch(`${baseUrl}/api/v1/checkAuth`, { headers: { Authorization } })
    if (status === 200) return kept
  }
  const now = Date.now() * 1000
  const { username, password } = await createApiKey(sql, pepper, {
    name: 'Demo key of scripts/start',
    programs: demoPrograms,
    expires_at: now + 90 * 86_400_000_000,
    allowed_subnets: ['127.0.0.0/8', '::1/128'],
    may_export: true,
    may_submit: true,
    front_end: demoFrontEnd,
    actor: demoActor,
    now,
  })
  return keep(demoKeyFile, { username, password })
}

/** The client of this command in the queue for hashing. */
const operator = { name: 'operator', isKnown: true }

export interface DemoPerson {
  email: string
  password: string
}

/** The person in this file, if they can still sign in. */
export async function keptPerson(sql: Sql, file: string): Promise<DemoPerson | undefined> {
  const kept = await readKept<DemoPerson>(file)
  return kept && (await verifySignIn(sql, kept.email, kept.password, operator)) && kept
}

/** An administrator of the console, created at the first start. Readable only by the owner of the file. */
export async function demoPerson(sql: Sql): Promise<DemoPerson | undefined> {
  const kept = await keptPerson(sql, demoPersonFile)
  if (kept !== undefined) return kept
  // The database already has people: they can invite others.
  if ((await readPeople(sql)).length > 0) return undefined
  const by = { actor: demoActor, now: Date.now() * 1000 }
  const made = { email: 'demo@tributary.example', password: crypto.randomUUID() }
  const draft = { email: made.email, name: 'Demo Administrator', role: 'ADMINISTRATOR', programs: [] }
  const { token } = await invitePerson(sql, draft, by)
  await acceptInvitation(sql, token, made.password, by)
  return keep(demoPersonFile, made)
}

function readKept<T>(file: string): Promise<T | undefined> {
  return Bun.file(file)
    .json()
    .catch(() => undefined)
}

export async function keep<T>(file: string, value: T): Promise<T> {
  await mkdir(dataFolder, { recursive: true })
  await writeFile(file, JSON.stringify(value), { mode: 0o600 })
  return value
}
