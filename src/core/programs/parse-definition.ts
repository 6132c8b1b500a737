// Parses an unknown document to a program definition, or throws a Problem with every error.

import { invalidRequest } from '../../base/problem.ts'
import type { Db } from '../../db/client.ts'
import { type BankQuestion, readBankQuestions } from '../../db/programs/questions.ts'
import { checkDefinition, type DefinitionLimits } from '../../domain/definitions/check-definition.ts'
import { type DefinitionError, member, members } from '../../domain/definitions/definition-form.ts'
import { type KnownQuestion, readQuestions } from '../../domain/definitions/definition-questions.ts'
import { enumeratorDepthUsual, type ProgramDefinition } from '../../domain/definitions/program-definition.ts'
import { errorsListedMax } from '../../domain/definitions/schema-errors.ts'
import { foldedKeyOf } from '../../domain/questions/question-key.ts'

/**
 * Checks the whole document, lists every error by its path (RFC 6901), and returns it as a definition. Other requests are served meanwhile. Without a
 * bank, whatever depends on it is not checked: names that are not defined in the document, kinds and keys of existing questions. `enumeratorDepthMax`
 * is the setting of that name. Throws an `invalid_request` Problem.
 */
export async function parseDefinition(
  document: unknown,
  bank?: readonly KnownQuestion[],
  enumeratorDepthMax: number = enumeratorDepthUsual,
): Promise<ProgramDefinition> {
  const { errors, all } = await findDefinitionErrors(document, { bank, enumeratorDepthMax })
  if (errors.length > 0) {
    const count = errors.length === 1 ? 'one error' : `${errors.length} errors`
    const detail = all ? count : `more than ${count}; the rest was not checked`
    throw invalidRequest(`The program definition has ${detail}.`, errors)
  }
  return document as ProgramDefinition
}

interface CheckOptions extends DefinitionLimits {
  /** Only errors whose path has this prefix. */
  within?: string
}

/** Steps of a check between two turns of the event loop. Each takes microseconds, or some hundred of them if it finds errors. */
const stepsAtATime = 100

/** A name may have megabytes and be repeated in each error. */
const errorCharactersMax = 1024 * 1024

/** Errors of a document in the order of its check, which stops when the list is full; `all` tells whether it finished. */
export async function findDefinitionErrors(
  document: unknown,
  { within = '', ...options }: CheckOptions,
): Promise<{ errors: DefinitionError[]; all: boolean }> {
  const errors: DefinitionError[] = []
  let characters = 0
  let steps = 0
  for (const found of checkDefinition(document, options)) {
    for (const error of found) {
      if (!error.path.startsWith(within)) continue
      if (errors.length === errorsListedMax || characters > errorCharactersMax) return { errors, all: false }
      errors.push(error)
      characters += error.path.length + error.detail.length
    }
    if (++steps % stepsAtATime === 0) await new Promise(resolve => setImmediate(resolve))
  }
  return { errors, all: true }
}

/** The questions of the bank that a document mentions, or whose keys equal those of questions it defines. */
export async function loadBankFor(db: Db, document: unknown): Promise<BankQuestion[]> {
  const questions = readQuestions(document)
  const placed = members(document, 'screens')
    .flatMap(screen => members(screen.value, 'questions'))
    .map(placement => member(placement.value, 'question'))
  const names = [...questions.flatMap(q => [q.admin_name, q.enumerator]), ...placed].filter(storable)
  const keys = questions.map(q => foldedKeyOf(q.admin_name))
  return readBankQuestions(db, { admin_names: [...new Set(names)], question_keys_folded: [...new Set(keys)] })
}

/** PostgreSQL doesn't accept U+0000 in text, so no bank contains such a name. */
const storable = (name: unknown): name is string => typeof name === 'string' && !name.includes('\0')
