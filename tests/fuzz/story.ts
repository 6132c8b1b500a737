// A day in the life of an installation, by its front end, its client and its administrator: what takes more than values that were sent before.
// All other operations are asked for as they are described (`tryOne`). What chance reaches depends on the machine; this every run has reached.

import { aPerson } from '../support/console.ts'
import { aToken } from '../support/console-api.ts'
import type { TestDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import type { Json } from './fuzz-values.ts'
import type { Case, Fuzzer } from './fuzzer.ts'

// biome-ignore lint/suspicious/noExplicitAny: the story looks into answers as it knows them to be
type Answer = { body: any; headers: Headers }

/** `slug` asks what `answers` are to, and nothing else need be answered. */
export async function playStory(
  fuzzer: Fuzzer,
  { sql }: Pick<TestDatabase, 'sql'>,
  { slug, answers }: { slug: string; answers: Json },
): Promise<void> {
  const ask = async (operation: string, parameters: Record<string, Json> = {}, json?: Json): Promise<Answer> => {
    const as = operation.includes(' /admin/') ? 'admin' : 'key'
    const sent: Case = { operation, parameters, as, ...(json === undefined ? {} : { body: { json } }) }
    const { errors, ok, text, headers } = await fuzzer.send(sent)
    if (errors.length > 0 || !ok) throw new Error(`${operation} did not succeed: ${[...errors, text].join('\n')}`)
    return { body: /json/.test(headers.get('Content-Type') ?? '') ? JSON.parse(text) : text, headers }
  }
  const admin = (method: string, path: string, parameters?: Record<string, Json>, json?: Json): Promise<Answer> =>
    ask(`${method} /admin/api/v1${path}`, parameters, json)

  // An applicant applies.
  const { applicant_id: applicantId } = (await ask('POST /intake/v1/applicants', {}, { language: 'en' })).body
  const applicant = { slug, applicantId }
  const atIntake = '/intake/v1/programs/{slug}/applicants/{applicantId}'
  await ask('PUT /intake/v1/applicants/{applicantId}', { applicantId }, { language: 'es' })
  await ask('GET /intake/v1/programs/{slug}', { slug })
  await ask(`PUT ${atIntake}/answers`, applicant, { answers })
  await ask(`GET ${atIntake}/answers`, applicant)
  const submission = { submitter: { type: 'APPLICANT' } }
  const once = { ...applicant, 'Idempotency-Key': crypto.randomUUID() }
  const submitted = await ask(`POST ${atIntake}/submissions`, once, submission)
  const { application_id: applicationId } = submitted.body

  // A client pulls.
  const exported = '/api/v1/admin/programs/{programSlug}'
  const program = { programSlug: slug }
  const application = { programSlug: slug, applicationId }
  await ask('GET /api/v1/checkAuth')
  await ask('GET /api/v1/admin/programs')
  const page = await ask(`GET ${exported}/applications`, { ...program, pageSize: '1' })
  await ask(`GET ${exported}/receipt`, { ...program, walk: page.headers.get('Walk-Token') })
  await ask(`GET ${exported}/changes`, { ...program, after: '0' })
  const feed = '/odata/v1/{programSlug}'
  await ask(`GET ${feed}`, program)
  await ask(`GET ${feed}/$metadata`, program)
  await ask(`GET ${feed}/{entitySet}`, { ...program, entitySet: 'Applications', $top: '1' })
  await ask(`GET ${feed}/{entitySet}/$count`, { ...program, entitySet: 'Applications' })
  for (const part of ['', '/revisions', '/history'])
    await ask(`GET ${exported}/applications/{applicationId}${part}`, application)
  const { headers } = await ask(`GET ${exported}/applications/{applicationId}/status`, application)
  const decided = { ...application, 'If-Match': headers.get('ETag') }
  await ask(`PATCH ${exported}/applications/{applicationId}/status`, decided, { status: 'Approved' })
  await ask('GET /docs/api/programs')
  const docs = '/docs/api/programs/{programSlug}'
  const version = { ...program, version: 'active' }
  await ask(`GET ${docs}`, program)
  for (const part of ['', '/response.schema.json', '/openapi.json'])
    await ask(`GET ${docs}/versions/{version}${part}`, version)
  await ask(`GET ${docs}/samples/{fileName}`, { ...program, fileName: `export-${slug}.sh` })

  // An administrator looks after a program.
  const { retention_days } = (await admin('GET', '/programs/{slug}/retention', { slug })).body
  await admin('PUT', '/programs/{slug}/retention', { slug }, { days: 5000, based_on: retention_days })
  await admin('PUT', '/programs/{slug}/retention', { slug }, { days: retention_days, based_on: 5000 })
  for (const intake_state of ['PAUSED', 'OPEN'])
    await admin('PUT', '/programs/{slug}/intake', { slug }, { intake_state, intake_text: null })
  const [published] = (await admin('GET', '/programs/{slug}/versions', { slug })).body.items
  const versionId = published.program_version_id

  // A draft is saved and discarded, and another one published.
  for (const action of ['discard', 'publish']) {
    const { body: document } = await admin('GET', '/programs/{slug}/draft', { slug })
    const edited = { ...document, display_name: `To ${action} ${versionId}` }
    const { program_version_id: draft } = (await admin('PUT', '/programs/{slug}/draft', { slug }, edited)).body
    await admin('GET', '/programs/{slug}/difference', { slug })
    if (action === 'discard') await admin('DELETE', '/programs/{slug}/draft', { slug, based_on: draft })
    else await admin('POST', '/programs/{slug}/publish', { slug }, { based_on: draft })
  }

  // A copy of the program is imported.
  const { body: file } = await admin('GET', '/programs/{slug}/draft', { slug })
  const copied = { file, slug: `copy-of-${versionId}` }
  const { open } = (await admin('POST', '/imports/preview', {}, copied)).body
  const reused = (open as string[]).map(name => [name, { do: 'reuse' }])
  await admin('POST', '/imports', {}, { ...copied, questions: Object.fromEntries(reused) })

  // One that was published in the background, as one that changes many programs is.
  const [publication] = await sql<{ publication_id: number }[]>`
    insert into publication (program_id, program_version_id, move, asked_by, programs, programs_done, ended_at)
    select program_id, ${versionId}, '{}', 'admin:story', 30, 30, now() from program where slug = ${slug}
    returning publication_id`
  const { publication_id: publicationId } = publication!
  await admin('GET', '/programs/{slug}/publications/{publicationId}', { slug, publicationId })

  // A caseworker reads an application and decides.
  const seen = { slug, applicationId }
  const { annotation_id } = (await admin('GET', '/programs/{slug}/applications/{applicationId}', seen)).body
  await admin('PATCH', '/programs/{slug}/applications/{applicationId}', seen, {
    based_on: annotation_id,
    note: 'called',
  })

  // Another application is erased, and the applicant of a third.
  for (const what of ['erase', 'erase-applicant']) {
    const { applicant_id } = (await ask('POST /intake/v1/applicants', {}, { language: 'en' })).body
    const another = { slug, applicantId: applicant_id }
    await ask(`PUT ${atIntake}/answers`, another, { answers })
    const sent = { ...another, 'Idempotency-Key': crypto.randomUUID() }
    const { application_id } = (await ask(`POST ${atIntake}/submissions`, sent, submission)).body
    const path = `/programs/{slug}/applications/{applicationId}/${what}`
    await admin('POST', path, { slug, applicationId: application_id }, { reason: 'asked for' })
  }

  // A key is made and changed; a call is refused, and why is looked up.
  const wanted = { name: 'Story', programs: [slug], allowed_subnets: ['anywhere'], expires_at: '90d' }
  const { body: key } = await admin('POST', '/keys', {}, { ...wanted, may_export: true, may_submit: false })
  const keyId = key.api_key_id
  await admin('GET', '/keys/{keyId}/would-pass', { keyId, address: '127.0.0.1', program: slug })
  await admin('PATCH', '/keys/{keyId}', { keyId }, { based_on: key.version, name: 'Story, second part' })
  const call = await fuzzer.send({ operation: 'GET /api/v1/checkAuth', parameters: {}, as: 'stranger' })
  const requestId = call.headers.get('X-Request-Id')
  await until('the refusal to be kept', async () => {
    const [kept] = await sql`select from refusal where request_id = ${requestId}`
    return kept
  })
  await admin('GET', '/refusals/{requestId}', { requestId })

  // What has failed is tried again.
  await sql`
    update derived_status set state = 'failed', last_error = 'set by the story'
    where job_name = 'refresh-key-map' and program_version_id = ${versionId}`
  await admin('POST', '/jobs/retry', {}, { job_name: 'refresh-key-map', program_version_id: versionId })

  // A webhook is added and given another address.
  const hook = { program: slug, url: 'https://127.0.0.1/hooks' }
  const { webhook_endpoint_id: webhookId } = (await admin('POST', '/webhooks', {}, hook)).body
  await admin('PATCH', '/webhooks/{webhookId}', { webhookId }, { url: 'https://127.0.0.1/other' })

  // Someone of an organization is invited to apply for its clients.
  const { organization_id: organizationId } = (
    await admin('POST', '/intermediaries', {}, { name: `Story Aid ${applicantId}` })
  ).body
  const listed = { email: `aid-${applicantId}@example.org` }
  await admin('POST', '/intermediaries/{organizationId}/people', { organizationId }, listed)
  const people = (await admin('GET', '/intermediaries/{organizationId}/people', { organizationId })).body
  const { intermediary_id: intermediaryId } = (people.items as { intermediary_id: number }[])[0]!
  const itsPerson = '/intermediaries/{organizationId}/people/{intermediaryId}/invite'
  await admin('POST', itsPerson, { organizationId, intermediaryId }, { name: 'Story Helper' })

  const ofClient = '/programs/{slug}/applications/{applicationId}/client-code'
  await sql`
    insert into intermediary_client (applicant_id, organization_id, name, name_folded, form_key)
    select applicant_id, ${organizationId}, 'Story', 'story', gen_random_uuid() from application where application_id = ${applicationId}`
  for (const end of ['', '/revoke']) await admin('POST', ofClient + end, seen)

  // People come and go.
  const facts = { name: 'Story Person', role: 'AUDITOR', programs: [] }
  const invited = { ...facts, email: `story-${applicantId}@example.org` }
  const { person_id: personId } = (await admin('POST', '/people', {}, invited)).body
  await admin('PUT', '/people/{personId}', { personId }, { ...facts, name: 'Another Name' })
  await admin('POST', '/people/{personId}/link', { personId })
  for (const action of ['disable', 'enable']) await admin('POST', `/people/{personId}/${action}`, { personId })
  const person = await aPerson(sql, { role: 'AUDITOR' })
  const issuer = 'https://story.example'
  await sql`insert into person_identity (person_id, issuer, subject) values (${person.person_id}, ${issuer}, 'story')`
  await admin('POST', '/people/{personId}/unlink', { personId: person.person_id }, { issuer })
  const { tokenId } = await aToken(sql, person)
  await admin('POST', '/people/{personId}/tokens/{tokenId}/retire', { personId: person.person_id, tokenId })
  await admin('POST', '/people/{personId}/reset-second-factor', { personId: person.person_id })
}
