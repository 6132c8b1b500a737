// Keeps a copy of unsaved changes in this browser tab, so that they survive a reload or a sign-in.

import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'

export interface KeptCopy {
  /** The stored document at the start of the edits. */
  base: ProgramDefinition
  document: ProgramDefinition
}

/** Pause in milliseconds: a large program takes several to write. */
const pauseMs = 300

export const keptCopy = (slug: string, personId: number) => {
  const key = `program ${personId} ${slug}`
  const baseKey = `${key} base`
  let waiting: KeptCopy | undefined
  let written: ProgramDefinition | undefined
  let timer = 0
  const write = (): void => {
    if (waiting === undefined) return
    try {
      // The stored document only changes with a save.
      if (written !== waiting.base) sessionStorage.setItem(baseKey, JSON.stringify(waiting.base))
      written = waiting.base
      sessionStorage.setItem(key, JSON.stringify(waiting.document))
    } catch {
      // It is too long for the browser's storage; leaving the page still asks for confirmation.
    }
    waiting = undefined
  }
  addEventListener('pagehide', write)
  return {
    read(): KeptCopy | undefined {
      try {
        const [document, base] = [key, baseKey].map(value => sessionStorage.getItem(value))
        return document == null || base == null ? undefined : { document: JSON.parse(document), base: JSON.parse(base) }
      } catch {
        return undefined
      }
    },
    /** Written when typing pauses, or the page is left. */
    write(copy: KeptCopy): void {
      waiting = copy
      clearTimeout(timer)
      timer = setTimeout(write, pauseMs)
    },
    remove(): void {
      waiting = undefined
      sessionStorage.removeItem(key)
    },
  }
}
