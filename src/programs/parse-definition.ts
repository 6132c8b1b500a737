// From an unknown document to a program definition, or to a Problem that names every error.

import type { Db } from '../db/client.ts'
import { type BankQuestion, readBankQuestions } from '../db/programs/questions.ts'
import { formErrors, member, members } from '../domain/definitions/definition-form.ts'
import { type KnownQuestion, questionErrors, readQuestions } from '../domain/definitions/definition-questions.ts'
import { screenErrors } from '../domain/definitions/definition-screens.ts'
import { enumeratorDepthUsual, type ProgramDefinition } from '../domain/definitions/program-definition.ts'
import { foldedKeyOf } from '../domain/questions/question-key.ts'
import { invalidRequest } from '../problem.ts'

/**
 * Checks the whole document and lists every error by its path (RFC 6901), then says that it is a definition.
 * Without a bank, what only the bank knows is left unchecked: names that are not defined in the document, kinds and keys
 * of questions that exist. `enumeratorDepthMax` is the setting of that name. Throws an `invalid_request` Problem.
 */
export function parseDefinition(
  document: unknown,
  bank?: readonly KnownQuestion[],
  enumeratorDepthMax: number = enumeratorDepthUsual,
): ProgramDefinition {
  const form = formErrors(document)
  // A document too deep or too large to walk is not walked further.
  const errors = form.some(
    ({ code, path }) =>
      code === 'too_deep' || (code === 'too_large' && path === '') || (code === 'too_many' && path === '/questions'),
  )
    ? form
    : [
        ...form,
        ...questionErrors(document, bank, enumeratorDepthMax),
        ...screenErrors(document, bank, enumeratorDepthMax),
      ]
  if (errors.length > 0) {
    const count = errors.length === 1 ? 'one error' : `${errors.length} errors`
    throw invalidRequest(`The program definition has ${count}.`, errors)
  }
  return document as ProgramDefinition
}

/** The questions of the bank that a document mentions, or whose keys are like those of questions it defines. */
export async function loadBankFor(db: Db, document: unknown): Promise<BankQuestion[]> {
  const questions = readQuestions(document)
  const placed = members(document, 'screens')
    .flatMap(screen => members(screen.value, 'questions'))
    .map(placement => member(placement.value, 'question'))
  const names = [...questions.flatMap(q => [q.admin_name, q.enumerator]), ...placed].filter(storable)
  const keys = questions.map(q => foldedKeyOf(q.admin_name))
  return readBankQuestions(db, { admin_names: [...new Set(names)], question_keys_folded: [...new Set(keys)] })
}

/** PostgreSQL takes no U+0000 in a text: such a name is in no bank. */
const storable = (name: unknown): name is string => typeof name === 'string' && !name.includes('\0')
