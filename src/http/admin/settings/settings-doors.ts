// What the instance is configured with, and how long each program keeps its applications. The configuration is only read here: it
// comes from the environment, when the process starts.

import { findProgramRetention, type ProgramRetention, readProgramRetentions } from '../../../db/program-overviews.ts'
import { isSlug } from '../../../domain/values/slug.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import { expiredMax, measureRetention, type RetentionEffect, setRetention } from '../../../upkeep/erase.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { pageOf, textOf } from '../addressed.ts'
import { type ConsoleDoor, deedOf, redirect, type Visit } from '../console-doors.ts'
import { RetentionListPage, RetentionPage } from './retention-pages.tsx'
import { SettingsPage } from './settings-page.tsx'

const rowsMax = 50

export function settingsDoors({ consoleDb: db, config, settings }: Deps): ConsoleDoor[] {
  const show = ({ context, url }: Visit): Response =>
    htmlResponse(SettingsPage({ context, settings, given: url.searchParams.get('show') === 'set' }))

  const list = async (visit: Visit): Promise<Response> => {
    const { context } = visit
    const [search, after] = [textOf(visit, 'q'), textOf(visit, 'after')]
    const rows = await readProgramRetentions(db, { search, after, rowsMax: rowsMax + 1 })
    const { items: programs, next } = pageOf(rows, rowsMax, ({ slug }) => slug)
    return htmlResponse(RetentionListPage({ context, programs, search, after, next }))
  }

  const program = async ({ params }: Visit): Promise<ProgramRetention> => {
    const found = isSlug(params.slug!) ? await findProgramRetention(db, params.slug!) : undefined
    if (found === undefined) throw new Problem('not_found', { detail: 'There is no program of this name.' })
    return found
  }

  /** The form; with `wanted`, what that number of days would erase at once. */
  const page = async (
    visit: Visit,
    shown: { form?: FormState; wanted?: number | undefined; conflict?: string } = {},
    status = 200,
  ): Promise<Response> => {
    const { context, now, url } = visit
    const found = await program(visit)
    const { form = emptyForm, wanted, conflict } = shown
    const measure = async (days: number | null | undefined): Promise<RetentionEffect | undefined> =>
      days == null ? undefined : measureRetention(db, found.program_id, days)
    return htmlResponse(
      RetentionPage({
        context,
        now,
        form,
        program: found,
        present: await measure(found.retention_days),
        wanted: wanted === undefined ? undefined : { days: wanted, effect: (await measure(wanted))! },
        countMax: expiredMax,
        sweepMs: config.sweepIntervalMs,
        conflict,
        done: url.searchParams.get('done'),
      }),
      status,
    )
  }

  const save = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const { slug } = await program(visit)
    const keep = form.get('keep')
    const written = daysOf(form.get('days') ?? '')
    const days = keep === 'days' ? written : null
    const seen = form.has('seen') ? daysOf(form.get('seen')!) : undefined
    const confirmation = form.get('confirmation') ?? undefined
    try {
      if (keep !== 'days' && keep !== 'ever') throw refused('keep', 'required', 'Choose how long they are kept.')
      if (keep === 'days' && (days === null || Number.isNaN(days)))
        throw refused('days', 'not_a_number', 'Must be a whole number of days, such as 730.')
      // The days that the form was opened with were not entered: they give way.
      if (keep === 'ever' && written !== null && written !== seen)
        throw refused(
          'days',
          'not_allowed',
          'Must be empty where applications are kept for ever; or choose a number of days.',
        )
      await setRetention(db, slug, { ...deedOf(visit), days, seen, confirmation })
      return redirect(visit, `/admin/programs/${slug}/retention?done=saved`)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.kind === 'conflict') return page(visit, { conflict: error.detail }, 409)
      if (error.kind !== 'invalid_request' || error.errors.length === 0) throw error
      const asked = error.errors.some(({ parameter }) => parameter === 'confirmation')
      // Asked for the first time, the question is no fault.
      const faults = asked && confirmation === undefined ? [] : error.errors
      return page(visit, { form: { values: form, faults }, wanted: asked ? days! : undefined }, 400)
    }
  }

  const one = '/admin/programs/:slug/retention'
  return [
    { method: 'GET', path: '/admin/settings', roles: readingRoles, answer: show },
    { method: 'GET', path: '/admin/settings/retention', roles: readingRoles, answer: list },
    { method: 'GET', path: one, roles: readingRoles, answer: visit => page(visit) },
    {
      method: 'POST',
      path: one,
      roles: ['ADMINISTRATOR'],
      confirmed: true,
      answer: save,
      again: (visit, form) => page(visit, { form }),
    },
  ]
}

/** Null for an empty field, which means for ever; NaN for a text that is not a number. */
function daysOf(text: string): number | null {
  const trimmed = text.trim().replaceAll(',', '')
  if (trimmed === '') return null
  return /^\d{1,7}$/.test(trimmed) ? Number(trimmed) : Number.NaN
}

const refused = (parameter: string, code: string, detail: string): Problem =>
  invalidRequest(detail, [{ parameter, code, detail }])
