// Checks, compares, publishes and moves programs from a terminal.
// It reads files, calls src/core/programs and prints what came of it.

import { Problem, problemLines } from '../../src/base/problem.ts'
import { readSetting } from '../../src/config/load-config.ts'
import { type Comparison, compareWithPublished } from '../../src/core/programs/compare.ts'
import type { Move } from '../../src/core/programs/move-questions.ts'
import { loadBankFor, parseDefinition } from '../../src/core/programs/parse-definition.ts'
import { exportProgram, importProgram } from '../../src/core/programs/program-transport.ts'
import { type PublicationResult, publishDefinition } from '../../src/core/programs/publish.ts'
import { saveDraft } from '../../src/core/programs/save-draft.ts'
import type { Sql } from '../../src/db/client.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  type StoredProgramVersion,
} from '../../src/db/programs/programs.ts'
import type { VersionChange } from '../../src/domain/comparison/version-diff.ts'
import { programDefinitionJsonSchema } from '../../src/domain/definitions/program-definition.ts'
import { describeForEditing } from '../../src/domain/definitions/version-definition.ts'
import { usage } from '../command-line/environment.ts'
import { readDocument } from '../command-line/read-document.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/program validate <file> [--bank | --document-only]
  scripts/program diff <file>
  scripts/program publish <file> [--move <slug>]... [--move-all]
  scripts/program draft <file>
  scripts/program show <slug> [--draft]
  scripts/program schema
  scripts/program export <slug>
  scripts/program import <file>

  validate  Names every error of a definition by its path. Also looks at the question bank with --bank, or if DATABASE_URL
            is set and --document-only is not given.
  diff      What publishing the definition would change: in its own program, and in every other active program that asks a
            question it changes.
  publish   Prints what changes, then publishes the definition. Other programs are published along only if --move names each of
            them, or with --move-all; otherwise nothing is published.
  draft     Saves the definition as the program's draft, which the console publishes or discards.
  show      Prints the definition of the active version, or of the draft, ready to be edited: its based_on says what it was made
            from. A definition of a program that is there already is refused without it, and when anything newer is there.
  schema    The JSON Schema of a definition.
  export    Prints everything ever published of a program, for import into another database under the same ids.
  import    Brings an exported program in, all or nothing.

  A file of - is standard input.`

async function validate(given: { bank?: boolean; 'document-only'?: boolean }, file: string): Promise<Run | undefined> {
  const withBank = given.bank ?? (given['document-only'] ? false : Boolean(process.env.DATABASE_URL))
  if (withBank)
    return async ({ sql, config }) => {
      const document = await readDocument(file)
      const { slug } = await parseDefinition(document, await loadBankFor(sql, document), config.enumeratorDepthMax)
      console.log(`The definition of "${slug}" has no error and fits the question bank.`)
    }
  const depthMax = readSetting(process.env, 'enumeratorDepthMax')
  const { slug } = await parseDefinition(await readDocument(file), undefined, depthMax)
  console.log(`The definition of "${slug}" has no error. The question bank was not asked (--bank).`)
  return undefined
}

const diff =
  (file: string): Run =>
  async ({ sql, config }) => {
    const compared = await compareWithPublished(sql, await readDocument(file), config)
    printComparison(compared)
    const { moves } = compared
    if (compared.refusal !== undefined) for (const line of problemLines(compared.refusal)) console.log(line)
    if (moves.length > 0) console.log(`To publish them along: ${moveOptions(moves)}, or --move-all.`)
  }

function publish(given: { move?: string[]; 'move-all'?: boolean }, file: string): Run {
  if (given.move !== undefined && given['move-all']) throw usage('Give --move or --move-all, not both.')
  const move = given['move-all'] ? 'all' : given.move
  return async ({ sql, actor, config: { enumeratorDepthMax } }) => {
    const compared = await compareWithPublished(sql, await readDocument(file), { enumeratorDepthMax })
    printComparison(compared)
    printPublished(await publishDefinition(sql, compared.definition, actor, { enumeratorDepthMax, move }))
  }
}

const draft =
  (file: string): Run =>
  async ({ sql, actor, config: { enumeratorDepthMax } }) => {
    const result = await saveDraft(sql, await readDocument(file), actor, { enumeratorDepthMax })
    printChanges(result.changes)
    const { program_version_id: id, slug } = result
    if (result.saved) console.log(`Saved as the draft of "${slug}". ${basisForNext(id)}`)
    else console.log(`Nothing to save: "${slug}" says this already, in the version of the id ${id}.`)
  }

const bringIn =
  (file: string): Run =>
  async ({ sql, actor, config }) => {
    const imported = await importProgram(sql, await readDocument(file), actor, config.enumeratorDepthMax)
    const { slug, program_id, program_version_ids } = imported
    const versions = program_version_ids.length === 1 ? 'one version' : `${program_version_ids.length} versions`
    console.log(`Brought in "${slug}" (program ${program_id}) with ${versions}; the newest is active.`)
  }

async function loadActive(sql: Sql, slug: string): Promise<StoredProgramVersion> {
  const program = await findProgram(sql, slug)
  const active = program && (await findActiveVersion(sql, program.program_id))
  if (active !== undefined) return active
  throw new Problem('not_found', { detail: `There is no published version of a program "${slug}".` })
}

async function loadDraft(sql: Sql, slug: string): Promise<StoredProgramVersion> {
  const program = await findProgram(sql, slug)
  const draft = program && (await findDraftVersion(sql, program.program_id))
  if (draft !== undefined) return draft
  throw new Problem('not_found', { detail: `There is no draft of a program "${slug}".` })
}

function printComparison({ definition, active, changes, moves }: Comparison): void {
  const since = active === undefined ? 'Nothing of it is published yet' : `Against version ${active.version_number}`
  console.log(`Program "${definition.slug}". ${since}:`)
  printChanges(changes)
  for (const { slug, changes: moved } of moves) {
    console.log(`It changes questions that "${slug}" asks too. There:`)
    printChanges(moved)
  }
}

const moveOptions = (moves: readonly Move[]): string => moves.map(({ slug }) => `--move ${slug}`).join(' ')

function printChanges(changes: readonly VersionChange[]): void {
  if (changes.length === 0) console.log('  no change')
  for (const { code, subject, detail } of changes)
    console.log(`  ${subject === '' ? '' : `${subject}: `}${detail} [${code}]`)
}

function printPublished(result: PublicationResult): void {
  const { slug, program_version_id, version_number, published, also_published } = result
  if (!published) {
    console.log(`Nothing to publish: version ${version_number} of "${slug}" says this already.`)
    return
  }
  console.log(`Published version ${version_number} of "${slug}". ${basisForNext(program_version_id)}`)
  for (const other of also_published) {
    console.log(`It changes questions of "${other.slug}" too: published its version ${other.version_number}.`)
  }
}

const basisForNext = (id: number): string => `Its next edit is based on it: "based_on": ${id}.`

async function print(value: unknown): Promise<void> {
  await Bun.write(Bun.stdout, `${JSON.stringify(value, null, 2)}\n`)
}

const flag = { type: 'boolean' } as const

await runCommands(help, {
  validate: command(['file'], { bank: flag, 'document-only': flag }, validate),
  diff: command(['file'], {}, (_, file) => diff(file)),
  publish: command(['file'], { move: { type: 'string', multiple: true }, 'move-all': flag }, publish),
  draft: command(['file'], {}, (_, file) => draft(file)),
  show: command(['slug'], { draft: flag }, (given, slug) => async ({ sql }) => {
    await print(describeForEditing(given.draft ? await loadDraft(sql, slug) : await loadActive(sql, slug)))
  }),
  schema: command([], {}, async () => {
    await Bun.write(Bun.stdout, programDefinitionJsonSchema())
    return undefined
  }),
  export: command(
    ['slug'],
    {},
    (_, slug) =>
      async ({ sql }) =>
        print(await exportProgram(sql, slug)),
  ),
  import: command(['file'], {}, (_, file) => bringIn(file)),
})
