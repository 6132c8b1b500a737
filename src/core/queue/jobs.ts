// All jobs: their names, payloads and queue IDs.

import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

/** Each with runs of its own, so that receivers of webhooks that are slow hold up nothing else. */
export const queueNames = ['derived-data', 'webhooks'] as const
export type QueueName = (typeof queueNames)[number]

const ofProgramVersion = Type.Object(
  { program_version_id: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
)

/** What each job carries: ids only. Whatever else it needs it loads when it runs, so that it never works from something old. */
const payloadSchemas = {
  /** Computes the key map of a program as of one version. */
  'refresh-key-map': ofProgramVersion,
  /** Computes the generated docs of a program version. */
  'refresh-docs-example': ofProgramVersion,
  /** Makes the attempt after so many to deliver to an endpoint of a webhook. On record there, and not in `derived_status`. */
  'deliver-webhook': Type.Object(
    { webhook_endpoint_id: Type.Integer({ minimum: 1 }), attempts: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false },
  ),
} satisfies Record<string, TSchema>

export type JobName = keyof typeof payloadSchemas
export type JobPayload<N extends JobName> = Static<(typeof payloadSchemas)[N]>
type ArrivedAs<Names extends JobName> = { [N in Names]: { name: N; payload: JobPayload<N> } }[Names]
/** A job that computes something of one program version, and is on record in `derived_status`. */
export type Job = ArrivedAs<Exclude<JobName, 'deliver-webhook'>>

export const queueOf = (jobName: string): QueueName => (jobName === 'deliver-webhook' ? 'webhooks' : 'derived-data')

/**
 * What the queue knows a job by: `refresh-key-map-v123-2` for the second request for version 123. BullMQ drops a job whose id it already
 * holds, so every request gets its own id: handing one over twice is harmless, and it is never mistaken for an earlier run. (BullMQ
 * wants no `:` in an id, and not digits alone.)
 */
export function jobId(job: Job, request: number): string {
  return `${job.name}-v${job.payload.program_version_id}-${request}`
}

/** The same of an attempt to deliver to a webhook: as long as it has not begun, it is one job. */
export const webhookJobId = ({ webhook_endpoint_id, attempts }: JobPayload<'deliver-webhook'>): string =>
  `deliver-webhook-${webhook_endpoint_id}-${attempts}`

export const isJobName = (name: string): name is JobName => Object.hasOwn(payloadSchemas, name)

/** Parses a job as it arrived. Throws an Error that explains what is wrong. */
export function parseJob(name: string, data: unknown): ArrivedAs<JobName> {
  if (!isJobName(name)) throw new Error(`there is no job called ${JSON.stringify(name)}`)
  const schema = payloadSchemas[name]
  if (!Value.Check(schema, data)) {
    const errors = Value.Errors(schema, data).map(error => `${error.instancePath || 'it'} ${error.message}`)
    throw new Error(`job ${name} has invalid data ${JSON.stringify(data)?.slice(0, 200)}: ${errors.join('; ')}`)
  }
  return { name, payload: data } as ArrivedAs<JobName>
}

/** The ids that a job carries; none if it carries anything else. */
export function idsIn(name: JobName, data: unknown): Partial<JobPayload<Job['name']> & JobPayload<'deliver-webhook'>> {
  return Value.Check(payloadSchemas[name], data) ? data : {}
}
