// `tributary types`: TypeScript for the applications of a program, so that a compiler knows its questions. For the typed client, or for
// any program that reads what was pulled.

import { renameSync, writeFileSync } from 'node:fs'
import type { TributaryClient } from '@tributary/client'
import { programTypes } from '@tributary/client/tools'
import { CommandError, fileError } from './requests/pull-outcome.ts'
import { loadSchema } from './spool/schema-check.ts'

/** The source of a module that exports the type `Application`. */
export async function typesOf(
  client: TributaryClient,
  program: string,
  fields: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const schema = await loadSchema(client, program, signal, fields)
  if (schema === undefined)
    throw new CommandError('failed', `Nothing of the program ${program} is published, so it has no types.`)
  const chosen = fields === undefined ? '' : `, of the questions ${fields}`
  const opening = `// The applications of the program ${program}${chosen}, as its service describes them: one submission is an Application.
// Made by tributary types. A program only gains questions, so what is here stays true; make it again to know those that are new.
`
  return programTypes(schema, opening)
}

/** Under the name it is to have only when it is whole. */
export function writeWhole(file: string, text: string): void {
  try {
    writeFileSync(`${file}.part`, text)
    renameSync(`${file}.part`, file)
  } catch (error) {
    throw fileError(error, `${file} cannot be written`)
  }
}
