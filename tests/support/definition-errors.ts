// What is wrong with a definition, in short, and questions that the bank has.

import { Problem } from '../../src/base/problem.ts'
import { parseDefinition } from '../../src/core/programs/parse-definition.ts'
import type { KnownQuestion } from '../../src/domain/definitions/definition-questions.ts'
import type { QuestionKind } from '../../src/domain/questions/question.ts'

/** Each error as `code path`. */
export async function errors(document: unknown, bank?: readonly KnownQuestion[]): Promise<string[]> {
  try {
    await parseDefinition(document, bank)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.errors.map(({ code, path }) => `${code} ${path}`)
  }
}

export const known = (
  admin_name: string,
  kind: QuestionKind = 'TEXT',
  enumerator: string | null = null,
): KnownQuestion => ({
  admin_name,
  kind,
  enumerator,
  settings: { text: 'In the bank' },
})
