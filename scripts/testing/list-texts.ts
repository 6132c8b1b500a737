// `scripts/texts`: prints every text that people read, and keeps the snapshot of them.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { byKind, checkout, hasTexts, readTexts, snapshotOf, snapshotPath } from './checkout-texts.ts'
import { type FoundText, textsOf } from './find-texts.ts'

const help = `Usage: scripts/texts [--since <commit>]
       scripts/texts --update

Prints every text that people read, by kind, with its file and line: console and docs pages, problems and validation
messages, OpenAPI descriptions, settings, metric help, log messages, command help and output, and the first lines of
files. {name} stands for a value, {one|other} for a choice.

  --since COMMIT   only texts that COMMIT doesn't have
  --update         write tests/texts.snapshot.txt, which tests compare with the code
  --help           this text`

function git(...args: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...args], { cwd: checkout })
  if (exitCode !== 0) throw usage(`git ${args[0]}: ${stderr.toString().trim().split('\n')[0]}`)
  return stdout.toString()
}

/** Compares only files that have changed since then: a text that moved from one of them to another is not new. */
function newTexts(texts: readonly FoundText[], commit: string): FoundText[] {
  const before = git('diff', '--name-only', '--no-renames', '--diff-filter=MD', commit, '--')
    .split('\n')
    .filter(hasTexts)
  const known = new Set(
    before.flatMap(path => textsOf(path, git('show', `${commit}:${path}`))).map(({ kind, text }) => `${kind} ${text}`),
  )
  const same = new Set(
    git('ls-tree', '-r', '--name-only', commit)
      .split('\n')
      .filter(path => !before.includes(path)),
  )
  return texts.filter(({ file, kind, text }) => !same.has(file) && !known.has(`${kind} ${text}`))
}

showHelpIfAsked(help)
process.exitCode = await exitCode(async () => {
  const { values } = parseArgs({ options: { since: { type: 'string' }, update: { type: 'boolean' } } })
  const texts = await readTexts()
  if (values.update) {
    await Bun.write(join(checkout, snapshotPath), snapshotOf(texts))
    return
  }
  for (const [heading, ofKind] of byKind(values.since === undefined ? texts : newTexts(texts, values.since))) {
    if (ofKind.length === 0) continue
    console.log(`# ${heading}\n`)
    for (const { file, line, text } of ofKind) console.log(`${file}:${line}\t${text}`)
    console.log('')
  }
})
