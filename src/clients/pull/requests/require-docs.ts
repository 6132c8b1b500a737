// Checks a program's docs where they are read. Keys and fields become columns, tables and parts of file names, so a hostile or
// compromised service must not be able to choose arbitrary text. Option IDs may be any text (of older questions) and become part of a
// column name at most.

import { type DocumentedQuestion, keysOf } from '../../../base/tables/table-plan.ts'
import { CommandError } from './pull-outcome.ts'

/** Letters and `_` (D15). */
const questionKey = /^[\p{L}_]+$/u
const fieldName = /^[a-z][a-z0-9_]*$/

/** Throws at the first name that no service can have sent. */
export function requireDocs(questions: readonly DocumentedQuestion[]): void {
  const paths = new Set<string>()
  for (const question of questions) {
    const { path, question_key: key, fields } = question
    const keys = keysOf(question)
    if (!path.startsWith('application.') || keys.at(-1) !== key) throw notOurs('question path', path)
    for (const key of keys) if (!questionKey.test(key)) throw notOurs('question key', key)
    if (paths.has(path)) throw notOurs('second question at', path)
    paths.add(path)
    for (const field of fields) {
      // Fields of entities belong to their own table.
      const [name = '', ...inner] = field.path.slice(path.length + 1).split('[')
      if (!field.path.startsWith(`${path}.`) || !fieldName.test(name) || (inner.length > 0 && name !== 'entities'))
        throw notOurs('field', field.path)
    }
  }
}

const notOurs = (what: string, name: string): CommandError =>
  new CommandError(
    'mismatch',
    `The program's docs contain an invalid ${what}: ${JSON.stringify(name.slice(0, 200))}. Nothing was written. Contact the operators of the service.`,
  )
