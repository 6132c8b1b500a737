// Lists what is missing or unusual in a program before it is published. Only errors prevent publishing.

import { type Remark, unusualParts } from '../../../domain/comparison/unusual-parts.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { nameAt } from './checking.ts'
import type { Selection } from './editor-state.ts'

const question = (name: string): Selection => ({ of: 'question', name })

export function remarksOn(document: ProgramDefinition, errors: readonly DefinitionError[]): Remark[] {
  const { questions } = document
  const wrong = [...new Set(errors.map(({ path }) => nameAt(document, path)))]
  return [
    ...wrong.map((name): Remark => {
      const text = questions.find(({ admin_name }) => admin_name === name)?.text
      return name === undefined
        ? { code: 'incomplete', text: 'The program is incomplete', at: placeOfError(errors) }
        : { code: 'incomplete', text: `“${text || 'New question'}” is incomplete`, at: question(name) }
    }),
    ...unusualParts(document),
  ]
}

function placeOfError(errors: readonly DefinitionError[]): Selection {
  const [, screen] =
    errors.map(({ path }) => /^\/screens\/(\d+)\/(?!questions)/.exec(path)).find(found => found !== null) ?? []
  return screen === undefined ? { of: 'program' } : { of: 'screen', index: Number(screen) }
}
