// A copy of what is not saved yet, in this tab of the browser: it outlives a reload and a sign-in.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'

export interface KeptCopy {
  /** What was stored when the edits began. */
  base: ProgramDefinition
  document: ProgramDefinition
}

export const keptCopy = (slug: string, personId: number) => {
  const key = `program ${personId} ${slug}`
  return {
    read(): KeptCopy | undefined {
      try {
        const text = sessionStorage.getItem(key)
        return text === null ? undefined : (JSON.parse(text) as KeptCopy)
      } catch {
        return undefined
      }
    },
    write(copy: KeptCopy): void {
      try {
        sessionStorage.setItem(key, JSON.stringify(copy))
      } catch {
        // It is too long for the browser; leaving asks first all the same.
      }
    },
    remove: (): void => sessionStorage.removeItem(key),
  }
}
