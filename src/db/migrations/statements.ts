// Splits SQL text into statements, because Citus sends changes of a distributed table to the workers together with everything else in the same
// message, so each must be sent alone.

/** The parts of a statement in which a semicolon doesn't end it: comments, function bodies, strings and names. */
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
