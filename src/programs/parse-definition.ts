// From an unknown document to a program definition, or to a Problem that names every fault.

import type { Db } from '../db/client.ts'
import { type BankQuestion, readBankQuestions } from '../db/programs/questions.ts'
import { formFaults, member, members } from '../domain/definitions/definition-form.ts'
import { type KnownQuestion, questionFaults, readQuestions } from '../domain/definitions/definition-questions.ts'
import { screenFaults } from '../domain/definitions/definition-screens.ts'
import { enumeratorDepthUsual, type ProgramDefinition } from '../domain/definitions/program-definition.ts'
import { foldedQuestionKey, questionKey } from '../domain/questions/question-key.ts'
import { invalidRequest } from '../problem.ts'

/**
 * Checks the whole document and lists every fault by its path (RFC 6901), then says that it is a definition.
 * Without a bank, what only the bank knows is left unchecked: names that are not defined in the document, kinds and keys
 * of questions that exist. `enumeratorDepthMax` is the setting of that name. Throws an `invalid_request` Problem.
 */
export function parseDefinition(
  document: unknown,
  bank?: readonly KnownQuestion[],
  enumeratorDepthMax: number = enumeratorDepthUsual,
): ProgramDefinition {
  const form = formFaults(document)
  // A document too deep or too large to walk is not walked further.
  const faults = form.some(({ code, path }) => code === 'too_deep' || (code === 'too_large' && path === ''))
    ? form
    : [
        ...form,
        ...questionFaults(document, bank, enumeratorDepthMax),
        ...screenFaults(document, bank, enumeratorDepthMax),
      ]
  if (faults.length > 0) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`
    throw invalidRequest(`The program definition has ${count}.`, faults)
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
  const keys = questions.map(q => foldedQuestionKey(questionKey(q.admin_name)))
  return readBankQuestions(db, { admin_names: [...new Set(names)], question_keys_folded: [...new Set(keys)] })
}

/** PostgreSQL takes no U+0000 in a text: such a name is in no bank. */
const storable = (name: unknown): name is string => typeof name === 'string' && !name.includes('\0')
