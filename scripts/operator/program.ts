// Checks, compares, publishes and moves programs from a terminal.
// It reads files, calls src/programs and prints what came of it.

import { parseArgs } from 'node:util'
import { readSetting } from '../../src/config/load-config.ts'
import type { Sql } from '../../src/db/client.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  readPrograms,
  type StoredProgramVersion,
} from '../../src/db/programs/programs.ts'
import { programDefinitionJsonSchema } from '../../src/domain/definitions/program-definition.ts'
import { describeForEditing, describeVersion } from '../../src/domain/definitions/version-definition.ts'
import type { VersionChange } from '../../src/domain/definitions/version-diff.ts'
import { Problem } from '../../src/problem.ts'
import { type Comparison, compareWithPublished } from '../../src/programs/compare.ts'
import type { Move } from '../../src/programs/move-questions.ts'
import { loadBankFor, parseDefinition } from '../../src/programs/parse-definition.ts'
import { exportProgram, importProgram } from '../../src/programs/program-transport.ts'
import { type PublicationResult, publishDefinition, publishDraft } from '../../src/programs/publish.ts'
import { discardDraft, saveDraft } from '../../src/programs/save-draft.ts'
import { readCommandLine, runScript, type ScriptContext, unknownCommand, usage } from '../command-line/environment.ts'
import { readDocument } from '../command-line/read-document.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage:
  scripts/program validate <file> [--bank | --document-only]
  scripts/program diff <file>
  scripts/program publish <file> [--move <slug>]... [--move-all]
  scripts/program publish --draft <slug> [--move <slug>]... [--move-all]
  scripts/program draft <file>
  scripts/program draft --discard <slug>
  scripts/program show <slug> [--draft]
  scripts/program list
  scripts/program schema
  scripts/program export <slug>
  scripts/program import <file>

  validate  Names every fault of a definition by its path. Also looks at the question bank with --bank, or if DATABASE_URL
            is set and --document-only is not given.
  diff      What publishing the definition would change: in its own program, and in every other active program that asks a
            question it changes.
  publish   Prints what changes, then publishes the definition, or the saved draft. Other programs are published along only if
            --move names each of them, or with --move-all; otherwise nothing is published.
  draft     Saves the definition as the program's draft; with --discard, removes the draft of that program instead.
  show      Prints the definition of the active version, or of the draft, ready to be edited: its based_on says what it was made
            from. A definition of a program that is there already is refused without it, and when anything newer is there.
  list      Every program with its active version and its draft.
  schema    The JSON Schema of a definition.
  export    Prints everything ever published of a program, for import into another database under the same ids.
  import    Brings an exported program in, all or nothing.

  A file of - is standard input.`

type Work = (context: Pick<ScriptContext, 'sql' | 'actor' | 'config'>) => Promise<void>
/** What to do, and whether it takes a database. */
type Command = { needs: 'database'; work: Work } | { needs: 'nothing'; work: () => Promise<void> }

/** What the arguments ask for, before a database is opened. Throws UsageError. */
function parseCommand([name, ...rest]: readonly string[]): Command {
  const options = {
    bank: { type: 'boolean' },
    'document-only': { type: 'boolean' },
    move: { type: 'string', multiple: true },
    'move-all': { type: 'boolean' },
    draft: { type: 'boolean' },
    discard: { type: 'string' },
  } as const
  const allowed: Readonly<Record<string, readonly (keyof typeof options)[]>> = {
    validate: ['bank', 'document-only'],
    publish: ['move', 'move-all', 'draft'],
    draft: ['discard'],
    show: ['draft'],
  }
  if (name === undefined || !Object.hasOwn(commands, name)) throw unknownCommand(name)
  const known = Object.fromEntries((allowed[name] ?? []).map(option => [option, options[option]]))
  const { positionals, values } = parseArgs({ args: rest, options: known, allowPositionals: true })
  const given: Given = values
  const count = name === 'list' || name === 'schema' || given.discard !== undefined ? 0 : 1
  if (positionals.length !== count) {
    throw usage(count === 0 ? `Unexpected: ${positionals.join(' ')}.` : 'Name exactly one file or program.')
  }
  return commands[name as keyof typeof commands](positionals[0] ?? '', given)
}

interface Given {
  bank?: boolean
  'document-only'?: boolean
  move?: string[]
  'move-all'?: boolean
  draft?: boolean
  discard?: string
}

const inDatabase = (work: Work): Command => ({ needs: 'database', work })

const commands = {
  validate(file: string, given: Given): Command {
    const withBank = given.bank ?? (given['document-only'] ? false : Boolean(process.env.DATABASE_URL))
    if (!withBank) {
      return {
        needs: 'nothing',
        work: async () => {
          const { slug } = parseDefinition(
            await readDocument(file),
            undefined,
            readSetting(process.env, 'enumeratorDepthMax'),
          )
          console.log(`The definition of "${slug}" has no fault. The question bank was not asked (--bank).`)
        },
      }
    }
    return inDatabase(async ({ sql, config }) => {
      const document = await readDocument(file)
      const { slug } = parseDefinition(document, await loadBankFor(sql, document), config.enumeratorDepthMax)
      console.log(`The definition of "${slug}" has no fault and fits the question bank.`)
    })
  },

  diff: (file: string): Command =>
    inDatabase(async ({ sql, config }) => {
      const compared = await compareWithPublished(sql, await readDocument(file), config)
      printComparison(compared)
      const { moves } = compared
      if (moves.length > 0) console.log(`To publish them along: ${moveOptions(moves)}, or --move-all.`)
    }),

  publish(subject: string, given: Given): Command {
    if (given.move !== undefined && given['move-all']) throw usage('Give --move or --move-all, not both.')
    const move = given['move-all'] ? 'all' : given.move
    return inDatabase(async ({ sql, actor, config: { enumeratorDepthMax } }) => {
      if (given.draft) {
        const draft = await loadDraft(sql, subject)
        printComparison(await compareWithPublished(sql, describeVersion(draft), { enumeratorDepthMax }))
        // Only if it is still the one that was printed.
        const reviewed = draft.program_version_id
        return printPublished(await publishDraft(sql, subject, actor, { enumeratorDepthMax, move, reviewed }))
      }
      const compared = await compareWithPublished(sql, await readDocument(subject), { enumeratorDepthMax })
      printComparison(compared)
      printPublished(await publishDefinition(sql, compared.definition, actor, { enumeratorDepthMax, move }))
    })
  },

  draft(file: string, given: Given): Command {
    if (typeof given.discard === 'string') {
      const slug = given.discard
      return inDatabase(async ({ sql, actor }) => {
        await discardDraft(sql, slug, actor)
        console.log(`The draft of "${slug}" is gone.`)
      })
    }
    return inDatabase(async ({ sql, actor, config: { enumeratorDepthMax } }) => {
      const result = await saveDraft(sql, await readDocument(file), actor, { enumeratorDepthMax })
      printChanges(result.changes)
      const { program_version_id: id, slug } = result
      if (result.saved) console.log(`Saved as the draft of "${slug}", ${id}. ${basisForNext(id)}`)
      else console.log(`Nothing to save: this is what version ${id} of "${slug}" says.`)
    })
  },

  show: (slug: string, given: Given): Command =>
    inDatabase(async ({ sql }) => {
      await print(describeForEditing(given.draft ? await loadDraft(sql, slug) : await loadActive(sql, slug)))
    }),

  list: (): Command =>
    inDatabase(async ({ sql }) => {
      const programs = await readPrograms(sql)
      if (programs.length === 0) {
        console.log('There are no programs yet. scripts/program publish makes one.')
        return
      }
      const rows = programs.map(({ slug, display_name, active_version_id, draft_version_id }) => [
        slug,
        display_name,
        String(active_version_id ?? '-'),
        String(draft_version_id ?? '-'),
      ])
      printTable([['Slug', 'Name', 'Active', 'Draft'], ...rows])
    }),

  schema: (): Command => ({
    needs: 'nothing',
    work: async () => {
      await Bun.write(Bun.stdout, programDefinitionJsonSchema())
    },
  }),

  export: (slug: string): Command => inDatabase(async ({ sql }) => print(await exportProgram(sql, slug))),

  import: (file: string): Command =>
    inDatabase(async ({ sql, actor, config }) => {
      const document = await readDocument(file)
      const imported = await importProgram(sql, document, actor, config.enumeratorDepthMax)
      const { slug, program_id, program_version_ids } = imported
      const versions = program_version_ids.length === 1 ? 'one version' : `${program_version_ids.length} versions`
      console.log(
        `Brought in "${slug}" (program ${program_id}) with ${versions}; ${program_version_ids.at(-1)} is active.`,
      )
    }),
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
  const since = active === null ? 'Nothing of it is published yet' : `Against version ${active}`
  console.log(`Program "${definition.slug}". ${since}:`)
  printChanges(changes)
  for (const { slug, replaces, changes: moved } of moves) {
    console.log(`It changes questions that "${slug}" asks too. There, against version ${replaces}:`)
    printChanges(moved)
  }
}

const moveOptions = (moves: readonly Move[]): string => moves.map(({ slug }) => `--move ${slug}`).join(' ')

function printChanges(changes: readonly VersionChange[]): void {
  if (changes.length === 0) console.log('  no change')
  for (const { subject, detail } of changes) console.log(subject === '' ? `  ${detail}` : `  ${subject}: ${detail}`)
}

function printPublished({ slug, program_version_id, published, also_published }: PublicationResult): void {
  if (!published) {
    console.log(`Nothing to publish: version ${program_version_id} of "${slug}" says this already.`)
    return
  }
  console.log(`Published version ${program_version_id} of "${slug}". ${basisForNext(program_version_id)}`)
  for (const other of also_published) {
    console.log(`It changes questions of "${other.slug}" too: published its version ${other.program_version_id}.`)
  }
}

const basisForNext = (id: number): string => `Its next edit is based on it: "based_on": ${id}.`

async function print(value: unknown): Promise<void> {
  await Bun.write(Bun.stdout, `${JSON.stringify(value, null, 2)}\n`)
}

const command = await readCommandLine(help, async args => {
  const asked = parseCommand(args)
  if (asked.needs === 'nothing') await asked.work()
  return asked
})
if (command.needs !== 'database') process.exit(0)
await runScript(command.work)
