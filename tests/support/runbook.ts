// The commands of deploy/OPERATIONS.md, as they are written there: blocks of sh and sql, and what sentences and tables name in some sections.

import { join } from 'node:path'

interface RunbookCommand {
  section: string
  kind: 'sh' | 'sql' | 'inline'
  text: string
}

/** Sections in which a sentence or table contains instructions. Elsewhere commands are mentioned in passing. */
const proceduralSections = ['Standbys', 'Roles in the database', 'Upgrade', 'Back up and restore', 'Rotate a secret']
/** A command with at least one argument. Docker commands are examples, as the page explains. */
const inlineCommand =
  /^(scripts\/[\w-]+|create role|drop role|alter role|delete from|truncate|openssl|pg_\w+|select) +\S/

const document = await Bun.file(join(import.meta.dir, '../../deploy/OPERATIONS.md')).text()

function readRunbook(): RunbookCommand[] {
  const found: RunbookCommand[] = []
  let section = ''
  let block: { info: string; lines: string[] } | undefined
  for (const line of document.split('\n')) {
    const fence = /^\s*```(.*)$/.exec(line)
    if (fence !== null && block === undefined) block = { info: fence[1]!, lines: [] }
    else if (fence !== null) {
      const { info, lines } = block!
      if (info === 'sh' || info === 'sql') found.push({ section, kind: info, text: lines.join('\n').trim() })
      block = undefined
    } else if (block !== undefined) block.lines.push(line)
    else if (line.startsWith('## ')) section = line.slice(3)
    else if (proceduralSections.includes(section))
      for (const [, text] of line.matchAll(/`([^`]+)`/g))
        if (inlineCommand.test(text!)) found.push({ section, kind: 'inline', text: text! })
  }
  return found
}

const commands = readRunbook()
const taken = new Set<string>()

/** The only command of the page that equals or begins with this text, as it is written. */
export function written(beginning: string): string {
  const texts = [...new Set(commands.map(({ text }) => text))]
  const found = texts.includes(beginning) ? [beginning] : texts.filter(text => text.startsWith(beginning))
  if (found.length !== 1) throw new Error(`OPERATIONS.md has ${found.length} commands that begin with: ${beginning}`)
  taken.add(found[0]!)
  return found[0]!
}

/** The same, with its placeholders replaced. */
export const filled = (beginning: string, fill: Record<string, string>): string =>
  Object.entries(fill).reduce((text, [place, value]) => text.replaceAll(place, value), written(beginning))

/** What no test has requested. */
export const leftOut = (): string[] => [...new Set(commands.map(({ text }) => text))].filter(text => !taken.has(text))
