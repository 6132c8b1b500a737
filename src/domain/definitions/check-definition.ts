// Checks a definition document completely, in short steps. The service runs it on sent documents, the editor while someone types.

import { type Check, formErrors } from './definition-form.ts'
import { languageErrors } from './definition-languages.ts'
import { type KnownQuestion, questionErrors } from './definition-questions.ts'
import { screenErrors } from './definition-screens.ts'

export interface DefinitionLimits {
  /** The question bank. Without it, whatever depends on the bank is not checked. */
  bank?: readonly KnownQuestion[] | undefined
  enumeratorDepthMax: number
}

/** Every error of a document, in the order found. */
export function* checkDefinition(document: unknown, { bank, enumeratorDepthMax }: DefinitionLimits): Check {
  if (!(yield* formErrors(document))) return
  yield* questionErrors(document, bank, enumeratorDepthMax)
  yield* screenErrors(document, bank, enumeratorDepthMax)
  yield* languageErrors(document)
}
