// Indents JSON text without changing a character of its values.

declare global {
  /** Bun has it; the types of TypeScript do not yet. */
  interface JSON {
    rawJSON(source: string): unknown
  }
}

type Reviver = (name: string, value: unknown) => unknown

/** Texts and numbers as they are written: some numbers are larger than a double holds exactly. */
const asWritten = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  source === undefined ? value : JSON.rawJSON(source)

/** Each member and item on a line of its own. */
export const indentedJson = (text: string): string =>
  JSON.stringify(JSON.parse(text, asWritten as Reviver), undefined, 2)
