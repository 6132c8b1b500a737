// The statements of a text of SQL, one by one: Citus sends a change of a distributed table to the workers with all that it was sent along
// with, so it has to come alone.

/** What may hold a semicolon that ends nothing: comments, bodies of functions, texts and names. */
const parts = /--[^\n]*|\/\*.*?\*\/|(\$\w*\$).*?\1|'[^']*'|"[^"]*"|;/gs

export function statementsOf(text: string): string[] {
  const statements: string[] = []
  let from = 0
  for (const { 0: part, index } of text.matchAll(parts)) {
    if (part !== ';') continue
    statements.push(text.slice(from, index))
    from = index + 1
  }
  statements.push(text.slice(from))
  return statements.map(statement => statement.trim()).filter(statement => /^(?!--)./m.test(statement))
}
