// Indents JSON text without changing a character of its values.

declare global {
  /** Bun supports it, but TypeScript's types do not yet. */
  interface JSON {
    rawJSON(source: string): unknown
  }
}

type Reviver = (name: string, value: unknown) => unknown

/** Texts and numbers are copied unchanged, because some numbers exceed what a double holds exactly. */
const asWritten = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  source === undefined ? value : JSON.rawJSON(source)

/** Each member and item gets its own line. */
export const indentedJson = (text: string): string =>
  JSON.stringify(JSON.parse(text, asWritten as Reviver), undefined, 2)
