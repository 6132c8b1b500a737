// What happens to one program of an installation, which the table replays: versions in which questions are inserted, change places,
// go and come back, at the top and two enumerators deep; what is submitted to each; and when the worker has kept all of it.

import { keyMapCodeVersion } from '../../src/core/derived/program-key-map.ts'
import type { Sql } from '../../src/db/client.ts'
import { noEntityEnd, renderMembers } from '../../src/domain/questions/answers.ts'
import type { Submission } from '../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { sampleAnswers } from '../../src/domain/samples/sample-answers.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, type QuestionSpec, q } from '../support/programs.ts'
import { until } from '../support/until.ts'
import type { Change, Question, Truth } from './truth.ts'

const slug = 'as-shipped'
const optional = { optional: true }
const story = q.text('own story', optional)
const needs = q.checkbox('own needs', ['food', 'rent', 'old-one'], optional)
const rent = q.currency('own rent', optional)
const called = q.name('own called', optional)
const likes = q.text('own likes', optional)
const employer = q.text('own employer', optional)
const pay = q.currency('own pay', optional)
const since = q.date('own since', optional)
const kind = q.radio('own kind', ['cat', 'dog'], optional)
const age = q.number('own age', optional)
const job = (...repeated: QuestionSpec[]) => q.enumerator('own job', repeated, optional)
const member = (...repeated: QuestionSpec[]) => q.enumerator('own member', repeated, optional)
const pet = (...repeated: QuestionSpec[]) => q.enumerator('own pet', repeated, optional)
const others = [
  q.address('own address', optional),
  q.email('own email', optional),
  q.phone('own phone', optional),
  q.file('own file', { ...optional, max_count: 3 }),
  q.id('own case', optional),
  q.map('own place', ['north', 'south'], optional),
  q.dropdown('own county', ['king', 'pierce'], optional),
]

/** Each is a version. What is in none of those before it stands in the middle, at every depth. */
const versions: readonly (readonly QuestionSpec[])[] = [
  [story, rent, member(called, job(employer, pay))],
  [story, needs, rent, member(called, likes, job(employer, since, pay)), pet(kind)],
  [member(job(pay, employer), called), ...others, rent, story],
  [
    pet(age, kind),
    needs,
    member(likes, job(since, employer, pay), called),
    others[0]!,
    story,
    q.date('own born', optional),
    rent,
  ],
]
const submissionsEach = 3

/** The installation before anything of the story has happened. */
export interface Stage {
  /** As the owner of its database. */
  sql: Sql
  /** Where its service is. */
  baseUrl: string
  timeZone: string
}

/** Resolves when the worker has kept what is derived from every version. */
export async function playStory({ sql, baseUrl, timeZone }: Stage): Promise<Truth> {
  const applications: Truth['applications'][number][] = []
  const changes: Change[] = []
  const asked: Question[] = []
  const versionIds: number[] = []
  let desk: FrontEnd | undefined
  let changeCursor = ''
  const get = (path: string, init?: RequestInit) => fetch(`${baseUrl}${path}`, init)
  let key = { authorization: '' }
  let returning: number | undefined
  for (const [i, questions] of versions.entries()) {
    const { version } = await aProgram(sql, { slug, questions })
    versionIds.push(version.program_version_id)
    merge(asked, questions)
    if (desk === undefined) {
      const made = await createTestKey(sql, { programs: [slug], maySubmit: true, mayAnnotate: true })
      desk = new FrontEnd({ get }, made, slug)
      key = made
      const before = await get(`/api/v1/admin/programs/${slug}/applications`, {
        headers: { Authorization: made.authorization },
      })
      changeCursor = before.headers.get('Change-Cursor')!
    }
    for (let n = 0; n < submissionsEach; n++) {
      const answers = sampleAnswers(version, { variant: i * submissionsEach + n })
      const submitter: Submission['submitter'] =
        n === 1
          ? {
              submitter_type: 'TRUSTED_INTERMEDIARY',
              ti_email: 'helper@example.org',
              ti_organization: '=Helpers, "inc"',
            }
          : { submitter_type: 'APPLICANT' }
      const language = n === 2 ? 'ko' : 'en-US'
      // One of them submits to every version.
      const isSame = n === 0 && returning !== undefined
      const applicant_id: number = isSame ? returning! : await desk.register(language)
      if (n === 0) returning ??= applicant_id
      const members = renderMembers(buildKeyMap([version]), answers, noEntityEnd)
      const submitted = await desk.apply(
        applicant_id,
        JSON.parse(`{${members}}`),
        submitter.submitter_type === 'APPLICANT'
          ? { type: 'APPLICANT' }
          : { type: submitter.submitter_type, email: submitter.ti_email, organization: submitter.ti_organization },
      )
      const { application_id, program_version_id } = submitted
      const before = applications.findLast(application => application.submission.applicant_id === applicant_id)
      changes.push({ kind: 'submitted', application_id })
      if (before !== undefined) {
        before.state = 'OBSOLETE'
        changes.push({ kind: 'superseded', application_id: before.submission.application_id })
      }
      applications.push({
        submission: {
          applicant_id,
          application_id,
          create_time: Date.parse(submitted.create_time) * 1000,
          submit_time: Date.parse(submitted.submit_time) * 1000,
          language,
          program_name: slug,
          program_version_id,
          submitter,
          answers,
        },
        annotations: { status: null, status_last_modified_time: null, application_note: null },
        state: 'CURRENT',
      })
    }
    const annotated = applications.at(-1)!
    const { application_id } = annotated.submission
    const set = await get(`/api/v1/admin/programs/${slug}/applications/${application_id}/status`, {
      method: 'PATCH',
      headers: { Authorization: key.authorization, 'Content-Type': 'application/json', 'If-Match': '*' },
      body: JSON.stringify({ status: 'Approved', application_note: `Note ${i}: “=1+1”, \u2028, \u2029 and \u0085` }),
    })
    if (set.status !== 200) throw new Error(`the status was answered with ${set.status}: ${await set.text()}`)
    const { status_last_modified_time, ...state } = (await set.json()) as Record<
      'status' | 'application_note' | 'status_last_modified_time',
      string
    >
    annotated.annotations = { ...state, status_last_modified_time: Date.parse(status_last_modified_time) * 1000 }
    changes.push({ kind: 'status', application_id }, { kind: 'note', application_id })
  }
  await until('the worker to have kept everything', async () => {
    const [kept] = await sql<{ maps: number; docs: number }[]>`
      select
        (select count(*) from program_key_map where program_version_id = any(${versionIds}::bigint[]) and code_version = ${keyMapCodeVersion}) as maps,
        (select count(*) from docs_example where program_version_id = ${versionIds.at(-1)!}) as docs`
    return kept!.maps === versionIds.length && kept!.docs === 1
  })
  return {
    slug,
    timeZone,
    questions: asked,
    applications,
    changes: { cursor: changeCursor, happened: changes },
    hiddenQuestions: ['own rent', 'own employer', 'own kind'],
    fields: ['own_needs', 'own_story', 'own_member.own_likes', 'own_member.own_job.own_pay'],
    fieldsOfRest: ['own_born', 'own_member.own_job', 'own_pet'],
  }
}

/** Adds the questions of a version that is being published: every question ever, at every depth. */
function merge(asked: Question[], specs: readonly QuestionSpec[]): void {
  for (const { question, repeated } of specs) {
    const key = question.admin_name.replaceAll(' ', '_')
    let known = asked.find(question => question.key === key)
    if (known === undefined) {
      known = { key, adminName: question.admin_name, kind: question.kind, repeated: [] }
      asked.push(known)
    }
    merge(known.repeated as Question[], repeated)
  }
}
