// What the console shows of a demo besides its applications: organizations, a draft with three changes, and keys of several kinds.

import type { Sql } from '../../src/db/client.ts'
import { findActiveVersion, findProgram } from '../../src/db/programs/programs.ts'
import { describeVersion } from '../../src/domain/definitions/version-definition.ts'
import { createApiKey } from '../../src/keys/api-keys.ts'
import { dayMicros } from '../../src/keys/expiry.ts'
import { addIntermediary, addOrganization } from '../../src/people/intermediaries.ts'
import { saveDraft } from '../../src/programs/save-draft.ts'

interface Demo {
  sql: Sql
  pepper: string
  baseUrl: string
  programs: readonly string[]
}

/** Made once, by the person who is to look at it. Calls the service, which notes what it answered. */
export async function fillConsole({ sql, pepper, baseUrl, programs }: Demo): Promise<void> {
  const by = { actor: 'operator:start', now: Date.now() * 1000 }
  for (const [name, person] of organizations)
    await addIntermediary(sql, await addOrganization(sql, name, by), person, by)
  await draftChanges(sql, programs[0]!, by.actor)
  const key = (name: string, days: number, of: readonly string[]) =>
    createApiKey(sql, pepper, {
      ...by,
      name,
      programs: of,
      expires_at: by.now + days * dayMicros,
      allowed_subnets: ['127.0.0.0/8', '::1/128'],
      may_export: true,
      may_submit: false,
    })
  const expiring = await key('County caseworker sync', 6, programs)
  await key('Data office, yearly report', 180, programs)
  const refused = await key('Benefits warehouse', 120, [programs[1]!])
  const get = (path: string, username: string, password: string) =>
    fetch(baseUrl + path, { headers: { Authorization: `Basic ${btoa(`${username}:${password}`)}` } }).then(r =>
      r.text(),
    )
  await get(`/api/v1/admin/programs/${programs[0]}/applications?pageSize=500`, expiring.username, expiring.password)
  for (let i = 0; i < 3; i++) await get('/api/v1/checkAuth', refused.username, `${refused.password}?`)
}

const organizations = [
  ['Casa Latina', 'intake@casa-latina.example.org'],
  ['Harbor Community Clinic', 'benefits@harbor-clinic.example.org'],
] as const

/** A question reworded, an option more, and a status more. */
async function draftChanges(sql: Sql, slug: string, actor: string): Promise<void> {
  const program = await findProgram(sql, slug)
  const active = program && (await findActiveVersion(sql, program.program_id))
  if (active === undefined) return
  const { questions, statuses, ...definition } = describeVersion(active)
  const changed = questions.map(question => {
    if (question.admin_name === 'bedrooms') return { ...question, text: 'How many rooms do people sleep in?' }
    if (question.admin_name !== 'hardship') return question
    return {
      ...question,
      options: [...(question.options ?? []), { admin_id: 'rent_raised', text: 'The rent was raised' }],
    }
  })
  const draft = { ...definition, questions: changed, statuses: [...statuses, 'Waiting for a bill'] }
  await saveDraft(sql, { ...draft, based_on: active.program_version_id }, actor)
}
