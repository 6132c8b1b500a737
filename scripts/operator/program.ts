// scripts/program: checks, compares, publishes and transfers programs from a terminal. It reads files, calls src/core/programs and prints
// the outcome.

import { Problem, problemLines } from '../../src/base/problem.ts'
import { readSetting } from '../../src/config/load-config.ts'
import { type Comparison, compareWithPublished } from '../../src/core/programs/compare.ts'
import type { Move } from '../../src/core/programs/move-questions.ts'
import { loadBankFor, parseDefinition } from '../../src/core/programs/parse-definition.ts'
import { exportProgram } from '../../src/core/programs/program-transport.ts'
import { type PublicationResult, publishDefinition } from '../../src/core/programs/publish.ts'
import { saveDraft } from '../../src/core/programs/save-draft.ts'
import { previewTranslations, saveTranslations } from '../../src/core/programs/translate.ts'
import { translationFile } from '../../src/core/programs/translation-file.ts'
import type { Sql } from '../../src/db/client.ts'
import {
  findActiveVersion,
  findDraftVersion,
  findProgram,
  type StoredProgramVersion,
} from '../../src/db/programs/programs.ts'
import type { VersionChange } from '../../src/domain/comparison/version-diff.ts'
import { programDefinitionJsonSchema } from '../../src/domain/definitions/program-definition.ts'
import { describeForEditing, describeVersion } from '../../src/domain/definitions/version-definition.ts'
import { usage } from '../command-line/environment.ts'
import { readDocument } from '../command-line/read-document.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'
import { importProgram } from './import-program.ts'

const help = `Usage:
  scripts/program validate <file> [--bank | --document-only]
  scripts/program diff <file>
  scripts/program publish <file> [--move <slug>]... [--move-all]
  scripts/program draft <file>
  scripts/program show <slug> [--draft]
  scripts/program schema
  scripts/program export <slug>
  scripts/program translations <slug> [--draft] [--language <tag>]...
  scripts/program translate <slug> <file> [--preview]
  scripts/program import <file> [--preview] [--slug <slug>] [--update] [--reuse <question>]... [--copy <question>=<name>]...
                         [--change <question>]...

  validate  Lists every error in a definition with its path. With --bank, or if DATABASE_URL is set and --document-only is not
            given, also checks it against the question bank.
  diff      Shows what publishing the definition would change, in its program and in every other active program that asks a
            changed question.
  publish   Prints the changes and publishes the definition. Other affected programs are published only if --move names each of
            them, or with --move-all; otherwise nothing is published.
  draft     Saves the definition as the program's draft, which can be published or discarded in the console.
  show      Prints the definition of the active version or the draft, ready to edit. Its based_on identifies that version. The
            definition of an existing program needs based_on, and is rejected if a newer version exists.
  schema    Prints the JSON Schema of a definition.
  export    Prints everything ever published for a program, for import into another database with the same IDs.
  translations
            Prints the texts of the active version or the draft as CSV for translators, with a column for each language of the
            program or each --language.
  translate Lists what a translated CSV file changes and saves it to the draft. --preview stores nothing.
  import    Imports a definition, a bundle, or the program file that CiviForm downloads, and lists what can't be imported. A bundle
            keeps its versions and IDs unless they are taken; everything else becomes a draft. Each question that conflicts with the
            question bank needs a choice: --reuse the bank's question, --copy it under another name, or --change the shared
            question. --preview stores nothing; --slug sets another slug; --update replaces the draft of an existing program.

  Use - as the file for standard input.`

async function validate(given: { bank?: boolean; 'document-only'?: boolean }, file: string): Promise<Run | undefined> {
  const withBank = given.bank ?? (given['document-only'] ? false : Boolean(process.env.DATABASE_URL))
  if (withBank)
    return async ({ sql, config }) => {
      const document = await readDocument(file)
      const { slug } = await parseDefinition(document, await loadBankFor(sql, document), config.enumeratorDepthMax)
      console.log(`The definition of "${slug}" has no errors and is consistent with the question bank.`)
    }
  const depthMax = readSetting(process.env, 'enumeratorDepthMax')
  const { slug } = await parseDefinition(await readDocument(file), undefined, depthMax)
  console.log(`The definition of "${slug}" has no errors. It was not compared with the question bank (--bank).`)
  return undefined
}

const diff =
  (file: string): Run =>
  async ({ sql, config }) => {
    const compared = await compareWithPublished(sql, await readDocument(file), config)
    printComparison(compared)
    const { moves } = compared
    if (compared.refusal !== undefined) for (const line of problemLines(compared.refusal)) console.log(line)
    if (moves.length > 0) console.log(`To publish these programs too, add ${moveOptions(moves)}, or --move-all.`)
  }

function publish(given: { move?: string[]; 'move-all'?: boolean }, file: string): Run {
  if (given.move !== undefined && given['move-all']) throw usage('Use --move or --move-all, not both.')
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
    else console.log(`Nothing to save: "${slug}" already has this definition, in the version with the ID ${id}.`)
  }

const translate =
  (slug: string, file: string, previewOnly: boolean | undefined): Run =>
  async ({ sql, actor, config: { enumeratorDepthMax } }) => {
    const program = await findProgram(sql, slug)
    const draft = program && (await findDraftVersion(sql, program.program_id))
    const definition = describeForEditing(draft ?? (await loadActive(sql, slug)))
    const bytes = await (file === '-' ? Bun.stdin : Bun.file(file)).bytes()
    const { changes, skipped } = await previewTranslations(definition, bytes)
    for (const { context, language, text } of changes) console.log(`  ${context} (${language}): ${text}`)
    for (const { row, context } of skipped)
      console.log(`  Row ${row} is skipped, its default text has changed: ${context}`)
    if (previewOnly || changes.length === 0) return
    const saved = await saveTranslations(sql, definition, bytes, actor, { enumeratorDepthMax })
    console.log(`Saved as the draft of "${slug}". ${basisForNext(saved.program_version_id)}`)
  }

async function loadActive(sql: Sql, slug: string): Promise<StoredProgramVersion> {
  const program = await findProgram(sql, slug)
  const active = program && (await findActiveVersion(sql, program.program_id))
  if (active !== undefined) return active
  throw new Problem('not_found', { detail: `The program "${slug}" has no published version.` })
}

async function loadDraft(sql: Sql, slug: string): Promise<StoredProgramVersion> {
  const program = await findProgram(sql, slug)
  const draft = program && (await findDraftVersion(sql, program.program_id))
  if (draft !== undefined) return draft
  throw new Problem('not_found', { detail: `The program "${slug}" has no draft.` })
}

function printComparison({ definition, active, changes, moves }: Comparison): void {
  const since = active === undefined ? 'No version is published yet' : `Compared with version ${active.version_number}`
  console.log(`Program "${definition.slug}". ${since}:`)
  printChanges(changes)
  for (const { slug, changes: moved } of moves) {
    console.log(`Changes in "${slug}", which uses changed questions:`)
    printChanges(moved)
  }
}

const moveOptions = (moves: readonly Move[]): string => moves.map(({ slug }) => `--move ${slug}`).join(' ')

function printChanges(changes: readonly VersionChange[]): void {
  if (changes.length === 0) console.log('  no changes')
  for (const { code, subject, detail } of changes)
    console.log(`  ${subject === '' ? '' : `${subject}: `}${detail} [${code}]`)
}

function printPublished(result: PublicationResult): void {
  const { slug, program_version_id, version_number, published, also_published } = result
  if (!published) {
    console.log(`Nothing to publish: version ${version_number} of "${slug}" already has this definition.`)
    return
  }
  console.log(`Published version ${version_number} of "${slug}". ${basisForNext(program_version_id)}`)
  for (const other of also_published) {
    console.log(`Also published version ${other.version_number} of "${other.slug}", which uses changed questions.`)
  }
}

const basisForNext = (id: number): string => `Base the next edit on this version: "based_on": ${id}.`

async function print(value: unknown): Promise<void> {
  await Bun.write(Bun.stdout, `${JSON.stringify(value, null, 2)}\n`)
}

const flag = { type: 'boolean' } as const
const many = { type: 'string', multiple: true } as const

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
  translations: command(['slug'], { draft: flag, language: many }, (given, slug) => async ({ sql }) => {
    const definition = describeVersion(given.draft ? await loadDraft(sql, slug) : await loadActive(sql, slug))
    await Bun.write(Bun.stdout, translationFile(definition, given.language ?? definition.languages ?? []))
  }),
  translate: command(['slug', 'file'], { preview: flag }, (given, slug, file) => translate(slug, file, given.preview)),
  import: command(
    ['file'],
    { preview: flag, slug: { type: 'string' }, update: flag, reuse: many, copy: many, change: many },
    importProgram,
  ),
})
