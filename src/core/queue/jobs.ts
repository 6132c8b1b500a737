// All jobs: their names, payloads and queue IDs.

import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

/** Queues with separate runs, so that slow webhook receivers don't delay other jobs. */
export const queueNames = ['derived-data', 'webhooks'] as const
export type QueueName = (typeof queueNames)[number]

const ofProgramVersion = Type.Object(
  { program_version_id: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
)

/** The data of each job: only IDs. Everything else is loaded when it runs, so that it is never outdated. */
const payloadSchemas = {
  /** Computes the key map of a program as of a version. */
  'refresh-key-map': ofProgramVersion,
  /** Computes the generated docs of a program version. */
  'refresh-docs-example': ofProgramVersion,
  /** Makes the delivery attempt after this many to a webhook endpoint. Recorded there instead of in `derived_status`. */
  'deliver-webhook': Type.Object(
    { webhook_endpoint_id: Type.Integer({ minimum: 1 }), attempts: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false },
  ),
} satisfies Record<string, TSchema>

export type JobName = keyof typeof payloadSchemas
export type JobPayload<N extends JobName> = Static<(typeof payloadSchemas)[N]>
type ArrivedAs<Names extends JobName> = { [N in Names]: { name: N; payload: JobPayload<N> } }[Names]
/** A job that computes data of one program version, and is recorded in `derived_status`. */
export type Job = ArrivedAs<Exclude<JobName, 'deliver-webhook'>>

export const queueOf = (jobName: string): QueueName => (jobName === 'deliver-webhook' ? 'webhooks' : 'derived-data')

/**
 * The ID of a job in the queue: `refresh-key-map-v123-2` for the second request for version 123. BullMQ drops a job whose ID it already holds, so
 * every request gets its own ID: adding one twice is harmless, and it is never mistaken for an earlier run. (BullMQ doesn't allow `:` in an ID, or an
 * ID of digits only.)
 */
export function jobId(job: Job, request: number): string {
  return `${job.name}-v${job.payload.program_version_id}-${request}`
}

/** The ID of a webhook delivery attempt: until it has begun, it is a single job. */
export const webhookJobId = ({ webhook_endpoint_id, attempts }: JobPayload<'deliver-webhook'>): string =>
  `deliver-webhook-${webhook_endpoint_id}-${attempts}`

export const isJobName = (name: string): name is JobName => Object.hasOwn(payloadSchemas, name)

/** Parses a received job. Throws an Error with the reason. */
export function parseJob(name: string, data: unknown): ArrivedAs<JobName> {
  if (!isJobName(name)) throw new Error(`there is no job called ${JSON.stringify(name)}`)
  const schema = payloadSchemas[name]
  if (!Value.Check(schema, data)) {
    const errors = Value.Errors(schema, data).map(error => `${error.instancePath || 'it'} ${error.message}`)
    throw new Error(`job ${name} has invalid data ${JSON.stringify(data)?.slice(0, 200)}: ${errors.join('; ')}`)
  }
  return { name, payload: data } as ArrivedAs<JobName>
}

/** The IDs in a job's data; none if it contains anything else. */
export function idsIn(name: JobName, data: unknown): Partial<JobPayload<Job['name']> & JobPayload<'deliver-webhook'>> {
  return Value.Check(payloadSchemas[name], data) ? data : {}
}
