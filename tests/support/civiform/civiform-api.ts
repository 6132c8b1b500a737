// The export of CiviForm itself, for comparison: newest id first, rendered from its tables by rules of its own, of a few types.

import { endWithFile } from '../fixtures.ts'
import type { SimulatedCiviForm } from './simulated-civiform.ts'

interface Row {
  id: string
  program_id: string
  applicant_id: string
  object: string
  lifecycle_stage: string
  submit_time: string
  create_time: string
  preferred_locale: string
  latest_status: string | null
  latest_note: string | null
  status_last_modified_time: string | null
  name: string
  slug: string
  block_definitions: { repeaterId: number | null; questionDefinitions: { id: number }[] }[]
}
type Question = {
  id: string
  name: string
  question_type: string
  question_options: { id: number; adminName: string }[] | null
}

/** Its address. Every request with a key is accepted. */
export function useCiviFormApi(civiform: SimulatedCiviForm): { baseUrl: string; requests: () => number } {
  let requests = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      requests++
      const url = new URL(request.url)
      const slug = url.pathname.split('/')[5]!
      const sent = url.searchParams.get('nextPageToken')
      const size = Number(url.searchParams.get('pageSize') ?? 1000)
      const rows = await civiform.app<Row[]>`
        select a.id::text, a.program_id::text, a.applicant_id::text, a.object #>> '{}' as object, a.lifecycle_stage, a.submit_time::text,
          a.create_time::text, a.preferred_locale, a.latest_status, a.latest_note, a.status_last_modified_time::text,
          p.name, p.slug, p.block_definitions
        from applications a join programs p on p.id = a.program_id
        where p.slug = ${slug} and a.lifecycle_stage in ('active', 'obsolete')
        and a.id < ${sent === null ? Number.MAX_SAFE_INTEGER : Number(atob(sent))}
        order by a.id desc limit ${size + 1}`
      const questions = new Map(
        (await civiform.app<Question[]>`select id::text, name, question_type, question_options from questions`).map(
          question => [question.id, question],
        ),
      )
      const page = rows.slice(0, size)
      const more = rows.length > size
      return Response.json({
        payload: page.map(row => render(row, questions)),
        nextPageToken: more ? btoa(page.at(-1)!.id) : null,
      })
    },
  })
  endWithFile(() => server.stop(true))
  return { baseUrl: `http://127.0.0.1:${server.port}`, requests: () => requests }
}

const time = (stored: string | null): string | null => (stored === null ? null : `${stored.replace(' ', 'T')}Z`)

function render(row: Row, questions: ReadonlyMap<string, Question>): object {
  const answers = (JSON.parse(row.object) as { applicant?: Record<string, Record<string, unknown>> }).applicant ?? {}
  const application: Record<string, unknown> = {}
  for (const { questionDefinitions, repeaterId } of row.block_definitions) {
    const question = questions.get(String(questionDefinitions[0]!.id))!
    if (repeaterId !== null) continue
    const key = question.name
      .replace(/[^A-Za-z ]/g, '')
      .replaceAll(' ', '_')
      .toLowerCase()
    application[key] = question.question_type === 'TEXT' ? text(answers[key]) : choice(question, answers[key])
  }
  return {
    application_id: Number(row.id),
    applicant_id: Number(row.applicant_id),
    program_name: row.name,
    program_version_id: Number(row.program_id),
    language: row.preferred_locale,
    create_time: time(row.create_time),
    submit_time: time(row.submit_time),
    submitter_type: 'APPLICANT',
    ti_email: null,
    ti_organization: null,
    revision_state: row.lifecycle_stage === 'active' ? 'CURRENT' : 'OBSOLETE',
    status: row.latest_status,
    status_last_modified_time: time(row.status_last_modified_time),
    application_note: row.latest_note,
    application,
  }
}

const text = (answer: Record<string, unknown> | undefined) => ({ question_type: 'TEXT', text: answer?.text ?? null })
const choice = ({ question_options }: Question, answer: Record<string, unknown> | undefined) => ({
  question_type: 'SINGLE_SELECT',
  selection: question_options?.find(option => String(option.id) === String(answer?.selection))?.adminName ?? null,
})
