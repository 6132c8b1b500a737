// The demo's person in an intermediary organization, who applies for two clients. One client's application is not submitted yet.

import { join } from 'node:path'
import { applyKey } from '../../src/core/apply/apply-front-end.ts'
import { loadApplySession } from '../../src/core/apply/apply-sessions.ts'
import { registerClient } from '../../src/core/apply/clients.ts'
import { saveAnswers } from '../../src/core/intake/save-answers.ts'
import { ownFrontEnd } from '../../src/core/keys/api-key-draft.ts'
import { inviteIntermediary } from '../../src/core/people/intermediaries.ts'
import { acceptInvitation } from '../../src/core/people/people.ts'
import type { Sql } from '../../src/db/client.ts'
import { findActingIntermediary, readIntermediaries, readOrganizations } from '../../src/db/people/intermediary-rows.ts'
import { findProgram } from '../../src/db/programs/programs.ts'
import { dataFolder } from '../command-line/environment.ts'
import { type DemoPerson, demoActor, keep, keptPerson } from './demo-credentials.ts'
import { signInOnce } from './fill-console.ts'

const file = join(dataFolder, 'demo-intermediary.json')
const fullName = new Map([
  ['first_name', 'Rosa'],
  ['middle_name', null],
  ['last_name', 'Diaz'],
  ['suffix', null],
])

/** Created at the first start. Undefined if the demo's organization is missing or its first person has an account already. */
export async function demoIntermediary(sql: Sql, pepper: string, slug: string): Promise<DemoPerson | undefined> {
  const kept = await keptPerson(sql, file)
  if (kept !== undefined) return kept
  const [organization] = await readOrganizations(sql, { search: 'harbor community clinic', after: '', rowsMax: 1 })
  if (organization === undefined) return undefined
  const { organization_id: organizationId } = organization
  const [listed] = await readIntermediaries(sql, organizationId, { after: '', rowsMax: 1 })
  if (listed === undefined || listed.person_id !== null) return undefined
  const by = { actor: demoActor, now: Date.now() * 1000 }
  const made = { email: listed.email, password: crypto.randomUUID() }
  const place = { organizationId, intermediaryId: listed.intermediary_id }
  const { personId, token } = await inviteIntermediary(sql, place, 'Hana Novak', by)
  await acceptInvitation(sql, token, made.password, by)
  await signInOnce(sql, { person_id: personId, email: made.email }, by.now)
  await addClients(sql, { pepper, slug, personId, now: by.now })
  return keep(file, made)
}

interface Clients {
  pepper: string
  slug: string
  personId: number
  now: number
}

async function addClients(sql: Sql, { pepper, slug, personId, now }: Clients): Promise<void> {
  const acting = (await findActingIntermediary(sql, personId))!
  const rules = { apiKeyPepper: pepper, applyIdleMs: 60_000, applyCodeDays: 90 }
  const key = { ...applyKey('127.0.0.1'), actor: `intermediary:${acting.email}` }
  const program = await findProgram(sql, slug)
  for (const name of ['Samuel Okoye', 'Rosa Diaz']) {
    const draft = { name, language: 'en', formKey: crypto.randomUUID() }
    const session = await loadApplySession(sql, rules, await registerClient(sql, rules, key, acting, draft, now), now)
    if (name !== 'Rosa Diaz' || program === undefined || session === undefined) continue
    await saveAnswers(sql, {
      program_id: program.program_id,
      applicant_id: session.applicant_id,
      front_end: ownFrontEnd,
      answers: new Map([['applicant_name', fullName]]),
      answersBytesMax: 10_000,
    })
  }
}
