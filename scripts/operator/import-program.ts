// Imports a program from a file in a terminal: prints what will be imported and which choices it needs.

import {
  type ImportPreview,
  type ImportRequest,
  importFile,
  previewImport,
} from '../../src/core/programs/import-file.ts'
import { usage } from '../command-line/environment.ts'
import type { Run } from '../command-line/script-commands.ts'

interface ImportOptions {
  preview?: boolean
  slug?: string
  update?: boolean
  reuse?: string[]
  copy?: string[]
  change?: string[]
}

/** Previews the import of a file, and imports it unless only the preview is requested. */
export const importProgram =
  (given: ImportOptions, file: string): Run =>
  async ({ sql, actor, config: { enumeratorDepthMax } }) => {
    const request = importRequest(given)
    const bytes = await (file === '-' ? Bun.stdin : Bun.file(file)).bytes()
    printPreview(await previewImport(sql, bytes, request, { enumeratorDepthMax }))
    if (given.preview) return
    const imported = await importFile(sql, bytes, request, actor, { enumeratorDepthMax })
    const { slug } = imported
    if (imported.saved_as === 'draft')
      console.log(
        `Saved as the draft of "${slug}". Base the next edit on it: "based_on": ${imported.draft.program_version_id}.`,
      )
    else {
      const versions = imported.program_version_ids.length
      console.log(
        `Imported "${slug}" with ${versions === 1 ? '1 version' : `${versions} versions`}. The newest is active.`,
      )
    }
  }

function importRequest({ slug, update, reuse = [], copy = [], change = [] }: ImportOptions): ImportRequest {
  const copies = copy.map(text => {
    const at = text.indexOf('=')
    if (at < 1 || at === text.length - 1) throw usage('Write --copy as <question>=<name>.')
    return [text.slice(0, at), { do: 'copy' as const, name: text.slice(at + 1) }] as const
  })
  const chosen = [
    ...reuse.map(name => [name, { do: 'reuse' as const }] as const),
    ...change.map(name => [name, { do: 'change' as const }] as const),
    ...copies,
  ]
  const questions = Object.fromEntries(chosen)
  if (Object.keys(questions).length < chosen.length) throw usage('Make one choice for each question.')
  return { slug, update, questions }
}

const formLabels = { definition: 'a program definition', bundle: 'a bundle', civiform: 'a CiviForm program' } as const

function printPreview(preview: ImportPreview): void {
  const { form, slug, questions, screens, languages, losses, affected } = preview
  console.log(
    `This is ${formLabels[form]}: "${slug}", ${questions.length} ${questions.length === 1 ? 'question' : 'questions'}, ${screens} ${screens === 1 ? 'screen' : 'screens'}, in ${languages.join(', ')}.`,
  )
  for (const { subject, detail } of losses) console.log(`  ${subject}: ${detail}`)
  for (const { admin_name, relation, holder, may, choice, copy_name, changes } of questions) {
    if (relation !== 'clash') continue
    const named = holder === admin_name ? 'the question with this name' : `"${holder}", which has the same key`
    console.log(
      `  "${admin_name}" conflicts with ${named}. ${choice === null ? `Choose: ${choicesOf(admin_name, may, copy_name)}` : `Chosen: ${choice.do}.`}`,
    )
    for (const { detail } of changes) console.log(`    ${detail}`)
    const others = affected[admin_name] ?? []
    if (others.length > 0) console.log(`    Changing it also changes ${others.join(', ')}.`)
  }
}

const choicesOf = (name: string, may: readonly string[], copy: string | null): string =>
  may.map(value => `--${value} "${name}${value === 'copy' ? `=${copy ?? '…'}` : ''}"`).join(', ')
