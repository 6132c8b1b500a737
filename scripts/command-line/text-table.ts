// Prints rows of text in columns for a terminal.

/** Columns as wide as their widest cell on a terminal, two spaces apart. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(row => Bun.stringWidth(row[column]!))))
  return rows.map(row =>
    row
      .map((cell, column) => cell + ' '.repeat(widths[column]! - Bun.stringWidth(cell)))
      .join('  ')
      .trimEnd(),
  )
}

export function printTable(rows: readonly (readonly string[])[]): void {
  for (const line of textTable(rows)) console.log(line)
}
