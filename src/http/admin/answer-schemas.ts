// The schemas of the answers, with every member. TypeScript and the tests refuse a deed that answers more or less.

import { type TArray, type TProperties, type TSchema, Type } from 'typebox'
import { roles } from '../../access/roles.ts'
import { settingSchemas } from '../../domain/definitions/definition-schemas.ts'
import { type ProgramDefinition, programDefinitionSchema } from '../../domain/definitions/program-definition.ts'
import type { VersionChangeCode } from '../../domain/definitions/version-diff.ts'
import { type QuestionSettings, questionKinds } from '../../domain/questions/question.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { closed } from './schemas.ts'

const row = <P extends TProperties>(members: P) => Type.Object(members, closed)
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const integer = Type.Integer()
const text = Type.String()
const texts = Type.Array(text)
const flag = Type.Boolean()
/** A number to the deed, and text when it is sent. */
const time = Type.Unsafe<Micros>({ type: 'string', format: 'date-time' })
const textOrNull = orNull(text)
const timeOrNull = orNull(time)
const integerOrNull = orNull(integer)
/** Whatever members it has. */
const open = (description: string) => Type.Unsafe<object>({ type: 'object', additionalProperties: true, description })

export const listed = <S extends TSchema>(item: S) => row({ items: Type.Array(item) })
const next = { description: 'Where the next page begins; null on the last.' }
/** A page whose next one begins after a text, or before a number. */
export const pageAfter = <S extends TSchema>(item: S) =>
  row({ items: Type.Array(item), next: Type.Union([text, Type.Null()], next) })
export const pageBefore = <S extends TSchema>(item: S) =>
  row({ items: Type.Array(item), next: Type.Union([integer, Type.Null()], next) })
export const nothing = Type.Unsafe<void>(row({}))

// Settings and sessions.

const role = Type.Enum([...roles])
export const sessionAnswer = row({
  person_id: integer,
  email: text,
  name: text,
  role,
  program_ids: Type.Union([Type.Literal('all'), Type.Array(integer)]),
  csrf: Type.Optional(text),
  token_id: Type.Optional(text),
  scopes: Type.Optional(texts),
  expires_at: Type.Optional(time),
})
export const settingAnswer = row({
  group: text,
  name: text,
  value: Type.String({ description: 'As it would be written; of a secret, that it is set.' }),
  source: Type.Enum(['environment', 'default']),
  meaning: text,
})
const retention = { program_id: integer, slug: text, display_name: text, retention_days: integerOrNull }
export const retentionAnswer = row(retention)
export const retentionEffectAnswer = row({
  ...retention,
  oldest_submit_time: timeOrNull,
  expired: Type.Integer({ description: 'Applications that are older than that.' }),
})

// API keys.

const key = {
  api_key_id: text,
  name: text,
  may_export: flag,
  may_submit: flag,
  may_annotate: flag,
  front_end: textOrNull,
  expires_at: time,
  earlier_secret_until: timeOrNull,
  allowed_subnets: texts,
  hidden_questions: texts,
  created_at: time,
  created_by: text,
  retired_at: timeOrNull,
  retired_by: textOrNull,
  exposed_at: timeOrNull,
  last_used_at: timeOrNull,
  last_used_address: textOrNull,
  civiform: flag,
  programs: texts,
  state: Type.Enum(['active', 'expiring', 'exposed', 'expired', 'retired']),
  version: Type.String({ description: 'What a change names as `based_on`.' }),
}
export const keyAnswer = row(key)
export const issuedKeyAnswer = row({ ...key, username: text, password: text, api_secret_token: text })
export const refusalAnswer = row({
  request_id: text,
  happened_at: time,
  reason: text,
  api_key_id: textOrNull,
  address: textOrNull,
  path: text,
  detail: text,
})
const day = row({ api_key_id: text, day: text, pages: integer, applications: integer })
export const keyDetailsAnswer = row({ ...key, days: Type.Array(day), refusals: Type.Array(refusalAnswer) })
export const judgedAnswer = row({ passes: flag, reason: Type.Optional(text), detail: Type.Optional(text) })

// Programs and questions.

export const overviewAnswer = row({
  program_id: integer,
  slug: text,
  display_name: text,
  statuses: texts,
  created_at: time,
  active_version_id: integerOrNull,
  active_published_at: timeOrNull,
  active_published_by: textOrNull,
  draft_version_id: integerOrNull,
  draft_created_at: timeOrNull,
  draft_created_by: textOrNull,
  submissions: integer,
  last_submit_time: timeOrNull,
  published_versions: integer,
})
const change = row({ code: Type.Unsafe<VersionChangeCode>({ type: 'string' }), subject: text, detail: text })
const changes = Type.Array(change)
const version = {
  program_version_id: integer,
  state: Type.Enum(['DRAFT', 'ACTIVE', 'OBSOLETE']),
  based_on: integerOrNull,
  created_at: time,
  created_by: text,
  published_at: timeOrNull,
  published_by: textOrNull,
  changes,
}
export const listedVersionAnswer = row({ ...version, more_changes: integer })

/** What is asked of a definition that is sent here. One that came from a CiviForm need not keep it. */
const limits = /^((min|max)(imum|Length|Items)|pattern)$/
/** The heads of a schema, which it has once and where it stands alone. */
const heads = ['$schema', '$id', '$defs']

/** The form of what is stored, by that of what is sent. Conditions, which stand in each other, are left open. */
function asStored<T>(schema: TSchema, questionIn: (copy: { properties: TProperties }) => unknown) {
  const copy = JSON.parse(JSON.stringify(schema), (name, value) => {
    if (heads.includes(name) || (limits.test(name) && typeof value !== 'object')) return undefined
    return value?.$ref === undefined ? value : open('A condition.')
  })
  const { properties } = questionIn(copy) as { properties: TProperties }
  properties.civiform_type = Type.String({ description: 'Its type, where only CiviForm knows that.' })
  return Type.Unsafe<T>(copy)
}
export const documentAnswer = asStored<ProgramDefinition>(
  programDefinitionSchema,
  ({ properties }) => (properties.questions as TArray).items,
)
export const versionDocumentAnswer = row({ ...version, document: documentAnswer })
export const draftAnswer = row({ program_id: integer, slug: text, program_version_id: integer, saved: flag, changes })
const move = { slug: text, replaces: integer, changes }
export const differenceAnswer = row({
  draft: integer,
  active: integerOrNull,
  outdated: flag,
  changes,
  effects: texts,
  moves: Type.Array(row(move)),
})
export const publicationAnswer = row({
  program_id: integer,
  slug: text,
  program_version_id: integer,
  published: flag,
  changes,
  also_published: Type.Array(row({ ...move, program_id: integer, program_version_id: integer })),
})
export const questionAnswer = row({
  question_id: integer,
  admin_name: text,
  question_key: text,
  kind: Type.Enum([...questionKinds]),
  enumerator: textOrNull,
  settings: asStored<QuestionSettings>(Type.Object(settingSchemas, closed), settings => settings),
  version_number: integer,
  created_at: time,
  uses: Type.Array(
    row({ slug: text, display_name: text, state: Type.Enum(['ACTIVE', 'DRAFT']), version_number: integer }),
  ),
})

// Applications.

const place = { submit_time: time, submit_seq: integer }
const application = {
  application_id: integer,
  applicant_id: integer,
  ...place,
  is_current: flag,
  status: textOrNull,
  status_last_modified_time: timeOrNull,
  has_note: flag,
}
const details = {
  ...application,
  program_version_id: integer,
  create_time: time,
  superseded_seq: integerOrNull,
  application_note: textOrNull,
  annotation_id: Type.Integer({ description: 'What a change names as `based_on`; 0 before the first.' }),
}
export const applicationsAnswer = row({
  items: Type.Array(row(application)),
  older: Type.Union([text, Type.Null()], next),
})
export const applicationAnswer = row({
  annotation_id: details.annotation_id,
  exported: Type.Unsafe<object>({ $ref: '#/components/schemas/Application' }),
})
export const detailsAnswer = row(details)
export const historyAnswer = row({
  ...details,
  states: Type.Array(row({ changed_at: time, changed_by: text, status: textOrNull, application_note: textOrNull })),
  revisions: Type.Array(row({ application_id: integer, ...place, is_current: flag, program_version_id: integer })),
})

// Jobs, generated docs and the audit trail.

const derivedStates = ['missing', 'queued', 'running', 'done', 'failed'] as const
const derived = row({
  slug: text,
  display_name: text,
  program_version_id: integer,
  version_state: Type.Enum(['ACTIVE', 'DRAFT']),
  job_name: text,
  produced_at: timeOrNull,
  stale: flag,
  state: orNull(Type.Enum([...derivedStates])),
  attempts: integerOrNull,
  last_error: textOrNull,
  updated_at: timeOrNull,
})
export const docsStatusAnswer = pageAfter(derived)
const count = Type.Optional(integer)
export const jobsAnswer = row({
  ...docsStatusAnswer.properties,
  unfinished: row({ missing: count, queued: count, running: count, failed: count }),
  outbox: row({ waiting: integer, oldest_at: timeOrNull }),
})
export const regeneratedAnswer = row({ program_version_ids: Type.Array(integer) })
const event = {
  audit_event_id: integer,
  happened_at: time,
  actor: text,
  action: text,
  subject: text,
  address: textOrNull,
  detail: open('What the action has to tell.'),
}
export const eventAnswer = row(event)
export const eventDetailsAnswer = row({ ...event, database_user: text })
export const sentAnswer = listed(
  row({
    place: row({ slug: text, display_name: text, ...place, superseded_seq: integerOrNull, erased_at: timeOrNull }),
    pages: Type.Array(row({ ...event, meets_revision: orNull(flag), was_there: flag, doubts: texts, questions: text })),
    nextBefore: Type.Optional(integer),
  }),
)
export const verdictAnswer = row({
  events: integer,
  pruned: Type.Array(row({ file: text, checked: flag })),
  faults: texts,
  note: Type.String({ description: 'The word to keep elsewhere and to send as `noted` next time.' }),
})

// People and organizations.

const person = {
  person_id: integer,
  email: text,
  name: text,
  role,
  disabled_at: timeOrNull,
  last_signed_in_at: timeOrNull,
  has_password: flag,
  invited_until: timeOrNull,
  programs: texts,
}
export const personAnswer = row(person)
const identity = row({ issuer: text, subject: text, created_at: time })
export const personDetailsAnswer = row({ ...person, identities: Type.Array(identity) })
export const linkAnswer = row({ link: text })
export const invitationAnswer = row({ person_id: integer, link: text })
export const tokenAnswer = row({
  admin_token_id: text,
  person_id: integer,
  name: text,
  scopes: texts,
  created_at: time,
  expires_at: time,
  retired_at: timeOrNull,
  last_used_at: timeOrNull,
  last_used_address: textOrNull,
  state: Type.Enum(['good', 'expired', 'retired']),
})
export const organizationAnswer = row({
  organization_id: integer,
  name: text,
  name_folded: text,
  disabled_at: timeOrNull,
  people: integer,
})
export const intermediaryAnswer = row({
  intermediary_id: integer,
  email: text,
  email_folded: text,
  disabled_at: timeOrNull,
})
