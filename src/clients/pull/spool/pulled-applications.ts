// Parses and checks the applications of a spool once, for building tables.

import { fileLines } from './file-lines.ts'
import type { SchemaCheck } from './schema-check.ts'

export type PulledMembers = Readonly<Record<string, unknown>>

/** In batches, in the order of the walk. Throws SchemaMismatch at the first that `check` rejects. */
export async function* pulledApplications(
  spoolPath: string,
  check: SchemaCheck | undefined,
): AsyncGenerator<readonly PulledMembers[], void, undefined> {
  for await (const applications of fileLines(spoolPath, parseLine)) {
    if (check !== undefined) for (const application of applications) check(application)
    yield applications
  }
}

const parseLine = (bytes: Buffer, from: number, to: number): PulledMembers =>
  JSON.parse(bytes.toString('utf8', from, to)) as PulledMembers
