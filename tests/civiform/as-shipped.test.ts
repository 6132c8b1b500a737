// The table of what clients get, of programs that are followed: by a follower, a service and a worker that have the rights of their
// roles and no others, with everything kept and a service started later.

import { keyMapCodeVersion } from '../../src/core/derived/program-key-map.ts'
import { prepareQueue } from '../../src/core/queue/connect.ts'
import type { Answer, Answers } from '../../src/domain/questions/answers.ts'
import { describeShipped } from '../as-shipped/table.ts'
import type { Question, Truth } from '../as-shipped/truth.ts'
import { useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { endWithFile } from '../support/fixtures.ts'
import { useLogin } from '../support/logins.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { until } from '../support/until.ts'

const { civiform, database, sql, catchUp } = await useFollowing()
endWithFile(endProcesses)

const program = 'followed as shipped'
const slug = 'followed-as-shipped'
const question = (name: string, type: string, repeated: SimulatedQuestion[] = []): SimulatedQuestion => ({
  name,
  type,
  repeated,
})
const [story, employer, likes, kind] = ['own story', 'own employer', 'own likes', 'own kind'].map(name =>
  question(name, 'TEXT'),
) as [SimulatedQuestion, SimulatedQuestion, SimulatedQuestion, SimulatedQuestion]
const [rooms, years] = [question('own rooms', 'NUMBER'), question('own years', 'NUMBER')]
const job = (...repeated: SimulatedQuestion[]) => question('own job', 'ENUMERATOR', repeated)
const member = (...repeated: SimulatedQuestion[]) => question('own member', 'ENUMERATOR', repeated)

/** Each is a version: questions are inserted, change places, go and come back. */
const versions: readonly (readonly SimulatedQuestion[])[] = [
  [story, rooms, member(likes, job(employer))],
  [story, kind, rooms, member(job(years, employer), likes)],
  [member(job(employer)), rooms, story],
  [rooms, member(likes, job(employer, years)), story, kind],
]

const keyOf = ({ name }: SimulatedQuestion): string => name.replaceAll(' ', '_')

/** The same answers as CiviForm keeps them, and as they are meant. */
function answersTo(
  asked: readonly SimulatedQuestion[],
  word: string,
): { stored: Record<string, unknown>; meant: Answers } {
  const stored: Record<string, unknown> = {}
  const meant = new Map<string, Answer>()
  for (const question of asked) {
    const key = keyOf(question)
    if (question.type === 'ENUMERATOR') {
      const entities = ['Ada', 'Bo'].map(entity_name => ({
        entity_name,
        ...answersTo(question.repeated!, `${word} of ${entity_name}`),
      }))
      stored[key] = entities.map(({ entity_name, stored: inner }) => ({ entity_name, ...inner }))
      meant.set(key, {
        type: 'ENUMERATOR',
        entities: entities.map(({ entity_name, meant: answers }) => ({ entity_name, answers })),
      })
    } else {
      const [field, value] =
        question.type === 'NUMBER' ? ['number', word.length] : ['text', `${word}: "${question.name}"`]
      stored[key] = { [field]: value }
      meant.set(key, { type: question.type, [field]: value } as never)
    }
  }
  return { stored, meant }
}

function merge(all: Question[], asked: readonly SimulatedQuestion[]): Question[] {
  for (const question of asked) {
    let known = all.find(({ key }) => key === keyOf(question))
    if (known === undefined) {
      known = { key: keyOf(question), adminName: question.name, kind: question.type as Question['kind'], repeated: [] }
      all.push(known)
    }
    merge(known.repeated as Question[], question.repeated ?? [])
  }
  return all
}

async function follow(): Promise<Truth> {
  const applications: Truth['applications'][number][] = []
  const questions: Question[] = []
  let ids: number[] = []
  for (const [i, asked] of versions.entries()) {
    const versionId = (await civiform.publish({ [program]: asked }))[program]!
    ids = [...ids, versionId]
    merge(questions, asked)
    for (let n = 0; n < 2; n++) {
      const applicant_id = await civiform.applicant()
      const { stored, meant } = answersTo(asked, `answer ${i} ${n}`)
      const submitted = 1_790_000_000_000 + (2 * i + n) * 60_000
      const application_id = await civiform.submit({
        applicant: applicant_id,
        program,
        answers: stored,
        time: new Date(submitted).toISOString(),
      })
      applications.push({
        submission: {
          applicant_id,
          application_id,
          create_time: (submitted - 60_000) * 1000,
          submit_time: submitted * 1000,
          language: 'en-US',
          program_name: slug,
          program_version_id: versionId,
          submitter: { submitter_type: 'APPLICANT' },
          answers: meant,
        },
        annotations: { status: null, status_last_modified_time: null, application_note: null },
        state: 'CURRENT',
      })
    }
    await catchUp()
  }
  await until('the worker to have kept everything', async () => {
    const [kept] = await sql<{ maps: number; docs: number }[]>`
      select
        (select count(*) from program_key_map where program_version_id = any(${ids}::bigint[]) and code_version = ${keyMapCodeVersion}) as maps,
        (select count(*) from docs_example where program_version_id = ${ids.at(-1)!}) as docs`
    return kept!.maps === versions.length && kept!.docs === 1
  })
  return {
    slug,
    timeZone: 'UTC',
    questions,
    applications,
    changes: undefined,
    hiddenQuestions: ['own rooms', 'own employer'],
    fields: ['own_story', 'own_member.own_likes', 'own_member.own_job.own_years'],
    fieldsOfRest: ['own_member.own_job', 'own_kind'],
  }
}

describeShipped('a CiviForm that is followed, under the roles of roles.sql', async () => {
  await prepareQueue(database.url)
  await startWorker({ url: await useLogin(database, 'tributary_worker') })
  const serviceUrl = await useLogin(database, 'tributary_service')
  const settings = { CONSOLE_DATABASE_URL: await useLogin(database, 'tributary_console') }
  const first = await startMain({ url: serviceUrl }, settings)
  const truth = await follow()
  const later = await startMain({ url: serviceUrl }, settings)
  return { sql, processes: [first.url, later.url], truth }
})
