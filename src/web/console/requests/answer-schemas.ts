// Response schemas with every member. TypeScript and tests reject an action that returns more or less.

import { type TArray, type TProperties, type TSchema, Type } from 'typebox'
import { allRoles } from '../../../core/people/roles.ts'
import { annotationState } from '../../../db/applications/annotations.ts'
import { applicationDetails, revisionRow } from '../../../db/applications/application-details.ts'
import { listedApplication } from '../../../db/applications/application-lists.ts'
import { auditEventRow } from '../../../db/audit/audit.ts'
import { keyExport } from '../../../db/audit/key-exports.ts'
import { jobRun } from '../../../db/derived/job-runs.ts'
import { derivedListing } from '../../../db/derived/missing-derived.ts'
import { apiKeyDay, apiKeyRow } from '../../../db/keys/api-key-rows.ts'
import { keyRequestDay } from '../../../db/keys/key-request-days.ts'
import { apiKeyStates } from '../../../db/keys/listed-keys.ts'
import { refusalRow } from '../../../db/keys/refusal-rows.ts'
import { adminTokenRow } from '../../../db/people/admin-token-rows.ts'
import { identityRow } from '../../../db/people/identity-rows.ts'
import { personRow } from '../../../db/people/person-rows.ts'
import { questionUse, retentionRow } from '../../../db/programs/program-overviews.ts'
import {
  flag,
  integer,
  integerOrNull,
  open,
  orNull,
  row,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from '../../../db/row-schemas.ts'
import { webhookAttemptRow, webhookRow } from '../../../db/webhooks/webhook-rows.ts'
import type { VersionChangeCode } from '../../../domain/comparison/version-diff.ts'
import { settingSchemas } from '../../../domain/definitions/definition-schemas.ts'
import { type ProgramDefinition, programDefinitionSchema } from '../../../domain/definitions/program-definition.ts'
import { type QuestionSettings, questionKinds } from '../../../domain/questions/question.ts'
import { closed } from './schemas.ts'

export const listed = <S extends TSchema>(item: S) => row({ items: Type.Array(item) })
const next = { description: 'Where the next page starts; null on the last page.' }
/** A page whose successor starts after a text, or before a number. */
export const pageAfter = <S extends TSchema>(item: S) =>
  row({ items: Type.Array(item), next: Type.Union([text, Type.Null()], next) })
export const pageBefore = <S extends TSchema>(item: S) =>
  row({ items: Type.Array(item), next: Type.Union([integer, Type.Null()], next) })
export const nothing = Type.Unsafe<void>(row({}))

// Settings and sessions.

const role = Type.Enum([...allRoles])
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
  value: Type.String({ description: 'The value as written in the environment. For secrets, only whether it is set.' }),
  source: Type.Enum(['environment', 'default']),
  meaning: text,
})
export const retentionEffectAnswer = row({
  ...retentionRow.properties,
  oldest_submit_time: timeOrNull,
  expired: Type.Integer({ description: 'Number of applications past the retention period.' }),
})

// API keys.

const key = {
  ...apiKeyRow.properties,
  state: Type.Enum([...apiKeyStates]),
  version: Type.String({ description: 'Send this as `based_on` when you update the key.' }),
}
export const keyAnswer = row(key)
export const issuedKeyAnswer = row({ ...key, username: text, password: text, api_secret_token: text })
export const refusalAnswer = row({ ...refusalRow.properties, detail: text })
export const keyDetailsAnswer = row({
  ...key,
  days: Type.Array(apiKeyDay),
  requests: Type.Array(keyRequestDay),
  exports: Type.Array(keyExport),
  refusals: Type.Array(refusalAnswer),
})
export const judgedAnswer = row({ passes: flag, reason: Type.Optional(text), detail: Type.Optional(text) })

// Programs and questions.

const change = row({ code: Type.Unsafe<VersionChangeCode>({ type: 'string' }), subject: text, detail: text })
export const changes = Type.Array(change)
const version = {
  program_version_id: integer,
  version_number: integerOrNull,
  state: Type.Enum(['DRAFT', 'ACTIVE', 'OBSOLETE']),
  based_on: integerOrNull,
  created_at: time,
  created_by: text,
  published_at: timeOrNull,
  published_by: textOrNull,
  changes,
}
export const listedVersionAnswer = row({ ...version, more_changes: integer })

/** The rules for a definition that a client sends. A definition from an origin may violate them. */
const limits = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern'])
/** Keywords that only occur once, at the top of a schema. */
const heads = new Set(['$schema', '$id', '$defs'])

/** A schema without these keywords and without limits. Conditions, which are recursive, are left open. */
function withoutLimits(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutLimits)
  if (typeof schema !== 'object' || schema === null) return schema
  if ('$ref' in schema) return open('A condition.')
  // A limit is a number or a text; a member of the same name is a schema.
  const kept = Object.entries(schema).filter(
    ([name, value]) => !heads.has(name) && (typeof value === 'object' || !limits.has(name)),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutLimits(value)]))
}

/** The schema of the stored form, derived from that of the sent form. */
function asStored<T>(schema: TSchema, questionIn: (copy: { properties: TProperties }) => unknown) {
  const copy = withoutLimits(schema) as TSchema & { properties: TProperties }
  const { properties } = questionIn(copy) as { properties: TProperties }
  properties.origin_type = Type.String({ description: 'The question’s type, if only the followed system knows it.' })
  return Type.Unsafe<T>(copy)
}
export const documentAnswer = asStored<ProgramDefinition>(
  programDefinitionSchema,
  ({ properties }) => (properties.questions as TArray).items,
)
export const versionDocumentAnswer = row({ ...version, document: documentAnswer })
export const draftAnswer = row({ program_id: integer, slug: text, program_version_id: integer, saved: flag, changes })
export const programForEditingAnswer = row({
  document: documentAnswer,
  made_by: textOrNull,
  made_at: time,
  is_draft: flag,
  active_version_number: integerOrNull,
  is_overtaken: Type.Boolean({ description: 'Whether a version was published after the draft was started.' }),
  changes,
  fixed_questions: Type.Array(row({ admin_name: text, option_ids: texts, used_by: texts })),
  enumerator_depth_max: integer,
})
export const similarQuestionsAnswer = row({
  items: Type.Array(
    row({
      admin_name: text,
      kind: Type.Enum([...questionKinds]),
      enumerator: textOrNull,
      text,
      used_by: Type.Array(text, { description: 'Names of the other programs that use it.' }),
    }),
  ),
  taken_keys: texts,
})
const move = { slug: text, display_name: text, replaces: integer, changes }
export const differenceAnswer = row({
  draft: integer,
  active: integerOrNull,
  outdated: Type.Boolean({
    description: 'Whether publishing the draft would undo something published after it was saved.',
  }),
  refusal: Type.Union(
    [
      row({
        detail: text,
        errors: Type.Array(row({ path: Type.Optional(text), code: text, detail: text })),
      }),
      Type.Null(),
    ],
    { description: 'Why the draft can’t be published; null if it can.' },
  ),
  changes,
  effects: Type.Array(row({ code: text, key: text, detail: text })),
  moves: Type.Array(row(move)),
})
export const publicationAnswer = row({
  program_id: integer,
  slug: text,
  program_version_id: integer,
  version_number: integer,
  published: flag,
  changes,
  also_published: Type.Array(
    row({ ...move, program_id: integer, program_version_id: integer, version_number: integer }),
  ),
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
  uses: Type.Array(questionUse),
})

// Applications.

export const applicationsAnswer = row({
  items: Type.Array(listedApplication),
  older: Type.Union([text, Type.Null()], next),
})
export const applicationAnswer = row({
  annotation_id: applicationDetails.properties.annotation_id,
  exported: Type.Unsafe<object>({ $ref: '#/components/schemas/Application' }),
})
export const historyAnswer = row({
  ...applicationDetails.properties,
  states: Type.Array(annotationState),
  revisions: Type.Array(revisionRow),
})

// Jobs, generated docs and the audit log.

export const docsStatusAnswer = pageAfter(derivedListing)
const count = Type.Optional(integer)
export const jobsAnswer = row({
  ...docsStatusAnswer.properties,
  unfinished: row({ missing: count, queued: count, running: count, failed: count }),
  outbox: row({ waiting: integer, oldest_at: timeOrNull }),
  runs: Type.Array(jobRun, { description: 'The last 20 runs of each kind of job, newest first.' }),
})
export const regeneratedAnswer = row({ program_version_ids: Type.Array(integer) })
export const eventDetailsAnswer = row({ ...auditEventRow.properties, database_user: text })
export const sentAnswer = listed(
  row({
    place: row({
      application_id: integer,
      slug: text,
      display_name: text,
      submit_time: time,
      submit_seq: integer,
      superseded_seq: integerOrNull,
      erased_at: timeOrNull,
    }),
    pages: Type.Array(
      row({
        ...auditEventRow.properties,
        meets_filters: orNull(flag),
        was_there: flag,
        doubts: texts,
        questions: text,
      }),
    ),
    nextBefore: Type.Optional(integer),
  }),
)
export const verdictAnswer = row({
  events: integer,
  unsealed: integer,
  pruned: Type.Array(row({ file: text, checked: flag })),
  errors: Type.Array(row({ file: orNull(text), segment: orNull(integer), code: text, detail: text })),
  seal: Type.Union([Type.String(), Type.Null()], {
    description: 'The latest seal. Keep it elsewhere and send it as `seal` next time. Null before the first seal.',
  }),
})

// People and organizations.

export const personDetailsAnswer = row({ ...personRow.properties, identities: Type.Array(identityRow) })
export const linkAnswer = row({ link: text })
export const invitationAnswer = row({ person_id: integer, link: text })
export const tokenAnswer = row({
  ...adminTokenRow.properties,
  state: Type.Enum(['good', 'expired', 'retired']),
})

// Webhooks.

export const webhookDetailsAnswer = row({ ...webhookRow.properties, attempts: Type.Array(webhookAttemptRow) })
export const issuedWebhookAnswer = row({
  ...webhookRow.properties,
  secret: Type.String({ description: 'The signing secret, `whsec_…`. Shown once.' }),
})
