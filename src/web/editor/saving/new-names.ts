// Checks whether the names of new questions are free. A name from the question bank would change another program's question.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { namesFor } from '../../../domain/definitions/question-names.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import type { PreparedDocument } from './draft-saver.ts'
import type { Service } from './editor-service.ts'

export class NewNames {
  readonly #lookedUp = new Set<string>()

  constructor(
    private readonly service: Service,
    /** Folded question keys in the bank, as far as they have been looked up. */
    private readonly taken: Set<string>,
    /** Renames a question in the document that is current by then. */
    private readonly rename: (name: string) => void,
  ) {}

  /** Renames questions named after their text; for names that somebody entered, returns an error each. */
  async check(document: ProgramDefinition, known: (name: string) => boolean): Promise<PreparedDocument> {
    const fresh = document.questions.filter(({ admin_name }) => !known(admin_name))
    for (const { admin_name } of fresh) {
      if (this.#lookedUp.has(admin_name)) continue
      const found = await this.service.similar(admin_name)
      if ('failed' in found) return found
      for (const key of found.taken_keys) this.taken.add(key)
      this.#lookedUp.add(admin_name)
    }
    const clashing = fresh.filter(({ admin_name }) => this.taken.has(foldedKeyOf(admin_name)))
    for (const { admin_name, text } of clashing) {
      if (!namesFor(text, document.display_name).includes(admin_name)) continue
      this.rename(admin_name)
      return { is: 'changed' }
    }
    const errors = clashing.map(({ admin_name }) => ({
      path: `/questions/${document.questions.findIndex(question => question.admin_name === admin_name)}/admin_name`,
      code: 'question_key_taken',
      detail: 'The question bank has a question with this key. Use that question, or choose another key.',
    }))
    return { is: 'ready', errors }
  }
}
