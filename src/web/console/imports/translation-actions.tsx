// The translations of a program: how many texts each language lacks, a CSV file for translators, and its import.

/** @jsxImportSource preact */

import { Problem } from '../../../base/problem.ts'
import { previewTranslations, saveTranslations, translationBytesMax } from '../../../core/programs/translate.ts'
import { translationFile } from '../../../core/programs/translation-file.ts'
import { describeForEditing } from '../../../domain/definitions/version-definition.ts'
import { canonicalLanguageTag } from '../../../domain/values/language-tag.ts'
import type { Deps } from '../../http/server/deps.ts'
import { editOptions } from '../programs/edit-refusals.tsx'
import { loadProgramInView } from '../programs/program-in-view.ts'
import { editing, type PageRoute } from '../requests/action.ts'
import { type PageRequest, redirect, showPage } from '../requests/console-request.ts'
import { type TranslationProps, TranslationsPage } from './translation-pages.tsx'

/** A form escapes most characters of a file. */
const bodyBytesMax = 4 * translationBytesMax

export function translationPages({ consoleDb: db, config }: Deps): PageRoute[] {
  const path = '/admin/programs/:slug/translations'

  const show = async (request: PageRequest, more: Partial<TranslationProps> = {}, status = 200): Promise<Response> => {
    const view = await loadProgramInView(db, request.person, request.params.slug!)
    const definition = describeForEditing(view.current)
    return showPage(request, <TranslationsPage view={view} definition={definition} {...more} />, status)
  }

  /** With a column for each language of the program, or for the requested ones. */
  const download = async (request: PageRequest): Promise<Response> => {
    const { current } = await loadProgramInView(db, request.person, request.params.slug!)
    const definition = describeForEditing(current)
    const asked = request.url.searchParams.getAll('language').map(canonicalLanguageTag)
    const wanted = asked.filter(tag => tag !== undefined)
    const file = translationFile(definition, wanted.length > 0 ? wanted : (definition.languages ?? []))
    return new Response(file, {
      headers: {
        'Content-Type': 'text/csv; charset=utf-8; header=present',
        'Content-Disposition': `attachment; filename="${definition.slug}-translations.csv"`,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      },
    })
  }

  const send = async (request: PageRequest): Promise<Response> => {
    const { form, by, person, params } = request
    const file = form.get('file') ?? ''
    const bytes = new TextEncoder().encode(file)
    const { current } = await loadProgramInView(db, person, params.slug!)
    const definition = describeForEditing(current)
    try {
      if (form.get('save') === null)
        return await show(request, { file, plan: await previewTranslations(definition, bytes) })
      const { saved, slug } = await saveTranslations(db, definition, bytes, by.actor, editOptions(request, config))
      return redirect(request, `/admin/programs/${slug}/questions?done=${saved ? 'saved' : 'same'}`)
    } catch (error) {
      if (!(error instanceof Problem) || (error.kind !== 'invalid_request' && error.kind !== 'conflict')) throw error
      return show(request, { refusal: error }, error.kind === 'conflict' ? 409 : 400)
    }
  }

  return [
    editing({ method: 'GET', path, answer: request => show(request) }),
    editing({ method: 'GET', path: `${path}/file`, answer: download }),
    editing({ method: 'POST', path, answer: send, bodyBytesMax, again: request => show(request) }),
  ]
}
