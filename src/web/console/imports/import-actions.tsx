// Imports a program from a file: a preview with a choice for each conflict, and then the import.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { Problem } from '../../../base/problem.ts'
import {
  type ImportRequest,
  importFile,
  parseImportRequest,
  previewImport,
} from '../../../core/programs/import-file.ts'
import { flag, integer, row, text, textOrNull, texts } from '../../../db/row-schemas.ts'
import { fileTooLarge, importBytesMax } from '../../../domain/imports/identify-file.ts'
import type { ImportChoices } from '../../../domain/imports/plan-import.ts'
import { questionKinds } from '../../../domain/questions/question.ts'
import type { Deps } from '../../http/server/deps.ts'
import { editOptions } from '../programs/edit-refusals.tsx'
import { action, editing, type GuardedRoute, type Part, writes } from '../requests/action.ts'
import { changes } from '../requests/answer-schemas.ts'
import { type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { choiceField, ImportPage, nameField, renameField } from './import-pages.tsx'

/** A form escapes most characters of a file, and the choices are added. */
const bodyBytesMax = 4 * importBytesMax

const body = Type.Object(
  {
    file: Type.Unsafe<unknown>({ description: 'A program definition, a bundle, or a CiviForm program file.' }),
    slug: Type.Optional(Type.String({ description: 'A slug to use instead of the file’s.' })),
    update: Type.Optional(
      Type.Boolean({ description: 'Saves the import as the draft of the existing program with this slug.' }),
    ),
    questions: Type.Optional(
      Type.Unsafe<object>({
        type: 'object',
        description:
          'A choice for each question that conflicts with the question bank, by its admin name: `{"do": "reuse"}`, `{"do": "change"}`, or `{"do": "copy", "name": "…"}`.',
      }),
    ),
  },
  { additionalProperties: false },
)

const may = Type.Enum(['reuse', 'copy', 'change'])
const placedError = row({ path: Type.Optional(text), code: text, detail: text })

const preview = row({
  form: Type.Enum(['definition', 'bundle', 'civiform']),
  slug: text,
  display_name: text,
  languages: texts,
  screens: integer,
  exists: flag,
  with_history: flag,
  losses: Type.Array(row({ code: text, subject: text, detail: text })),
  questions: Type.Array(
    row({
      admin_name: text,
      question_key: text,
      text,
      kind: Type.Enum([...questionKinds]),
      relation: Type.Enum(['new', 'same', 'clash']),
      holder: textOrNull,
      reason: Type.Union([Type.Enum(['settings', 'kind', 'place', 'key']), Type.Null()]),
      changes,
      may: Type.Array(may),
      copy_name: textOrNull,
      choice: Type.Union([row({ do: may, name: Type.Optional(text) }), Type.Null()]),
      name: text,
    }),
  ),
  open: texts,
  faults: Type.Array(row({ question: text, code: text, detail: text })),
  affected: Type.Unsafe<Readonly<Record<string, readonly string[]>>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description: 'The programs that use each question that `change` would update, by its admin name.',
  }),
  errors: Type.Array(placedError),
})

const bytesOf = (file: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(file) ?? '')

/** The page, without scripts: the file, then the choices, travel in one form. */
const importPages = ({ consoleDb: db, config }: Deps): GuardedRoute[] => {
  const path = '/admin/import-program'

  const show = (request: PageRequest) => showPage(request, <ImportPage />)

  const showTooLarge = (request: PageRequest) =>
    showPage(request, <ImportPage refusal={new Problem('too_large', { detail: fileTooLarge })} />, 413)

  const send = async (pageRequest: PageRequest): Promise<Response> => {
    const { form, files, by } = pageRequest
    const request = requestOf(form)
    // Browsers send each line break of a hidden field as two characters.
    const bytes = files.get('file') ?? new TextEncoder().encode(form.get('file')?.replaceAll('\r\n', '\n'))
    const options = editOptions(pageRequest, config)
    try {
      const shown = await previewImport(db, bytes, request, options)
      const isReady = shown.open.length === 0 && shown.faults.length === 0 && shown.errors.length === 0
      if (form.get('import') === null || !isReady || (shown.exists && request.update !== true))
        return showPage(
          pageRequest,
          <ImportPage
            file={new TextDecoder().decode(bytes)}
            preview={shown}
            request={request}
            isSent={form.get('import') !== null}
          />,
          form.get('import') === null ? 200 : 400,
        )
      const { slug, saved_as } = await importFile(db, bytes, request, by.actor, options)
      return redirect(pageRequest, `/admin/programs/${slug}/questions?done=${saved_as === 'draft' ? 'begun' : 'saved'}`)
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'invalid_request' && error.kind !== 'conflict')) throw error
      return showPage(pageRequest, <ImportPage refusal={error} />, error.kind === 'conflict' ? 409 : 400)
    }
  }

  return [
    editing({ method: 'GET', path, answer: show }),
    editing({
      method: 'POST',
      path,
      answer: send,
      bodyBytesMax,
      again: show,
      takesFiles: true,
      tooLarge: showTooLarge,
    }),
  ]
}

export const importActions = (deps: Deps): Part => {
  const { consoleDb: db, config } = deps
  return [
    action({
      name: 'previewImport',
      route: 'POST /imports/preview',
      summary: 'Preview the import of a program',
      answers:
        'What would be imported, what would be lost, and each conflict with the question bank. Nothing is stored.',
      answered: preview,
      ...writes('programs'),
      body,
      bodyBytesMax,
      run: (request, sent) =>
        previewImport(db, bytesOf(sent.file), parseImportRequest(sent), editOptions(request, config)),
    }),
    action({
      name: 'importProgram',
      route: 'POST /imports',
      summary: 'Import a program',
      description: 'Requires a choice for each conflict that the preview lists; otherwise, the request fails with 409.',
      answers:
        'The program’s slug, and whether it was saved as a draft or published. A bundle with its history is published.',
      answered: row({ slug: text, saved_as: Type.Enum(['draft', 'published']) }),
      ...writes('programs'),
      body,
      bodyBytesMax,
      run: async (pageRequest, sent) => {
        const request = parseImportRequest(sent)
        const { slug, saved_as } = await importFile(
          db,
          bytesOf(sent.file),
          request,
          pageRequest.by.actor,
          editOptions(pageRequest, config),
        )
        return { slug, saved_as }
      },
    }),
    ...importPages(deps),
  ]
}

function requestOf(form: URLSearchParams): ImportRequest {
  const questions: Record<string, ImportChoices[string]> = {}
  for (const [field, value] of form) {
    const [renamed, name] = [renameField(''), choiceField('')].map(start =>
      field.startsWith(start) ? field.slice(start.length) : undefined,
    )
    const copy = (renamed === undefined ? form.get(nameField(name ?? '')) : value)?.trim() ?? ''
    if (renamed !== undefined && copy !== '' && copy !== renamed.trim()) questions[renamed] = { do: 'copy', name: copy }
    if (name === undefined) continue
    if (value === 'reuse' || value === 'change') questions[name] = { do: value }
    else if (value === 'copy') questions[name] = { do: 'copy', name: copy }
  }
  const slug = (form.get('slug') ?? '').trim()
  return { questions, slug: slug === '' ? undefined : slug, update: form.get('update') === 'yes' }
}
