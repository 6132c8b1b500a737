// The jobs there are: their names, what each carries, and what the queue knows each by.

import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

export const queueName = 'derived-data'

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
} satisfies Record<string, TSchema>

export type JobName = keyof typeof payloadSchemas
export type JobPayload<N extends JobName> = Static<(typeof payloadSchemas)[N]>
/** A job computes something of one program version, and is on record in `derived_status`. */
export type Job = { [N in JobName]: { name: N; payload: JobPayload<N> } }[JobName]
/**
 * What the queue knows a job by: `refresh-key-map-v123-2` for the second request for version 123. BullMQ drops a job whose id it already
 * holds, so every request gets its own id: handing one over twice is harmless, and it is never mistaken for an earlier run. (BullMQ
 * wants no `:` in an id, and not digits alone.)
 */
export function jobId(job: Job, request: number): string {
  return `${job.name}-v${job.payload.program_version_id}-${request}`
}

/** A job as it arrived. Throws an Error that says what is wrong with it. */
export function parseJob(name: string, data: unknown): Job {
  if (!Object.hasOwn(payloadSchemas, name)) throw new Error(`there is no job called ${JSON.stringify(name)}`)
  const schema = payloadSchemas[name as JobName]
  if (!Value.Check(schema, data)) {
    const faults = Value.Errors(schema, data).map(fault => `${fault.instancePath || 'it'} ${fault.message}`)
    throw new Error(`a job ${name} cannot carry ${JSON.stringify(data)?.slice(0, 200)}: ${faults.join('; ')}`)
  }
  return { name, payload: data } as Job
}
