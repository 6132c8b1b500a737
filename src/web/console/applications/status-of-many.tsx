// Sets the status and note of many applications at once, after a preview. Each change is an entry in the application's history.

/** @jsxImportSource preact */

import { Type } from 'typebox'
import { invalidRequest, Problem } from '../../../base/problem.ts'
import { annotate } from '../../../core/applications/annotate.ts'
import { readApplicationStates } from '../../../db/applications/annotations.ts'
import { readListedApplications } from '../../../db/applications/application-lists.ts'
import { integer, row } from '../../../db/row-schemas.ts'
import type { Deps } from '../../http/server/deps.ts'
import { action, type Part, showForm } from '../requests/action.ts'
import type { PageRequest } from '../requests/console-request.ts'
import { idOf } from '../requests/route-parameters.ts'
import { closed, id, nullableText } from '../requests/schemas.ts'
import { applicationsRoute, findSeenProgram, inColor, readers } from './find-applications.ts'
import { applicationsPath, changedMax, listSearch, readListQuery, statusIn, unchanged } from './list-query.ts'
import { StatusOfManyPage } from './status-page.tsx'

/** A note of 10,000 characters has up to nine bytes for each in a form. */
export const noteBytesMax = 256 * 1024

const body = Type.Object(
  {
    status: Type.Optional(nullableText('One of the program’s statuses, or null for none.')),
    note: Type.Optional(nullableText('A note of at most 10,000 characters, or null for none.')),
    applications: Type.Array(
      Type.Object(
        {
          application_id: id('The application ID.'),
          based_on: id('The `annotation_id` of the application you read.', 0),
        },
        closed,
      ),
      { minItems: 1, maxItems: changedMax },
    ),
  },
  closed,
)

export function statusOfManyActions({ consoleDb: db, config }: Deps): Part {
  const page = lookAt(db)
  const path = `${applicationsRoute}/status`
  return [
    action({
      name: 'annotateApplications',
      route: `POST ${path}`,
      summary: 'Set the status and note of many applications',
      description: 'Each change is a separate entry in the application’s history. Omitted fields are unchanged.',
      answers:
        'The number of applications changed, and the number skipped because they have changed since or no longer exist.',
      answered: row({ changed: integer, left: integer }),
      roles: readers,
      scope: 'applications:write',
      body,
      bodyBytesMax: 64 * 1024 + noteBytesMax,
      run: async (request, { status, note, applications }) => {
        const { program_id } = await findSeenProgram(db, request.person, request.params.slug!)
        const answer = { changed: 0, left: 0 }
        for (const { application_id, based_on } of applications) {
          const change = { program_id, application_id, status, note, seen: based_on, timeZone: config.timeZone }
          try {
            await annotate(db, { ...change, ...request.by })
            answer.changed += 1
          } catch (error) {
            if (!isLeft(error)) throw error
            answer.left += 1
          }
        }
        return answer
      },
      form: {
        page,
        ownPage: path,
        read: ({ form }) => ({ ...statusOf(form), ...noteOf(form), applications: statesSeen(form) }),
        // The status was chosen on another page; here is what it would change.
        atField: ({ path, parameter, ...error }) => ({
          ...error,
          parameter: (parameter ?? path?.slice(1)) === 'note' ? 'note' : 'seen',
        }),
        next: (request, { changed, left }) => {
          if (changed === 0) throw invalidRequest('No status was changed.', [allLeft])
          const { values } = readListQuery(request)
          const done = { done: 'status', set: request.form.get('set') ?? '', changed, ...(left > 0 && { left }) }
          for (const [name, value] of Object.entries(done)) values.set(name, String(value))
          return applicationsPath(request.params.slug!) + listSearch(values)
        },
      },
    }),
  ]
}

/** The preview page for the applications selected in the URL: individual ones, or all that match the filters. */
function lookAt(db: Deps['consoleDb']) {
  const chosen = async (request: PageRequest, programId: number): Promise<number[]> => {
    const sent = request.url.searchParams
    if (!sent.has('all')) return sent.getAll('ticked').flatMap(text => idOf(text) ?? [])
    const { filter, errors } = readListQuery(request)
    if (errors.length > 0) throw invalidRequest('Some filters are invalid.', errors)
    const place = { direction: 'older', beyond: undefined } as const
    const found = await readListedApplications(db, programId, filter, place, changedMax + 1)
    return found.map(({ application_id }) => application_id)
  }

  return async (request: PageRequest) => {
    const program = await inColor(db, await findSeenProgram(db, request.person, request.params.slug!))
    const ids = await chosen(request, program.program_id)
    if (ids.length > changedMax)
      throw new Problem('too_large', {
        detail: `You can change at most ${changedMax} applications at once. Select fewer.`,
      })
    const { status } = statusOf(request.url.searchParams)
    const all = await readApplicationStates(db, program.program_id, ids)
    const currentOnly = request.url.searchParams.get('only') === 'current'
    const states = currentOnly ? all.filter(state => state.is_current) : all
    const changed = states.filter(state => status === undefined || state.status !== status)
    const same = states.length - changed.length
    const shown = <StatusOfManyPage program={program} status={status} changed={changed} same={same} />
    return states.length > 0
      ? shown
      : showForm(request, { values: request.form, errors: [wrongCount] }, () => shown, 400)
  }
}

const wrongCount = {
  parameter: 'seen',
  code: 'wrong_count',
  detail: `Select at least one application and at most ${changedMax}.`,
}

const allLeft = {
  parameter: 'seen',
  code: 'changed_concurrently',
  detail: 'All of these applications have changed or no longer exist. Go back to the list and select again.',
}

/** The application changed after it was shown, or was erased. */
const isLeft = (error: unknown): boolean =>
  error instanceof Problem && (error.internal === 'seen_is_old' || error.kind === 'not_found')

function statusOf(sent: URLSearchParams): { status?: string | null } {
  const text = sent.get('set') ?? ''
  const status = statusIn(text)
  if (status !== undefined) return { status }
  if (text === unchanged) return {}
  throw invalidRequest('No status was changed.', [
    { parameter: 'set', code: 'malformed', detail: 'Choose one of the program’s statuses.' },
  ])
}

/** An empty note leaves notes unchanged. Browsers end lines with CR LF. */
function noteOf(sent: URLSearchParams): { note?: string } {
  const note = (sent.get('note') ?? '').replaceAll('\r\n', '\n')
  if (note !== '') return { note }
  if (sent.get('set') !== unchanged) return {}
  throw invalidRequest('No note was saved.', [{ parameter: 'note', code: 'missing', detail: 'Enter a note.' }])
}

/** Parses `281774-12`: an application and the revision of its status that was shown. */
function statesSeen(sent: URLSearchParams) {
  const applications = sent.getAll('seen').flatMap(text => {
    const [, application_id, based_on] = /^([1-9]\d{0,14})-(\d{1,15})$/.exec(text) ?? []
    return application_id === undefined ? [] : [{ application_id: Number(application_id), based_on: Number(based_on) }]
  })
  if (applications.length === 0 || applications.length > changedMax)
    throw invalidRequest('No status was changed.', [wrongCount])
  return applications
}
