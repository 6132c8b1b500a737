// Generates sample applications to a program in chronological order, always the same for the same seed and time.

import type { ExportedApplication } from '../../src/core/load/reading/read-application.ts'
import type { StoredProgramVersion } from '../../src/db/programs/programs.ts'
import type { Answer, Answers } from '../../src/domain/questions/answers.ts'
import type { Annotations, Submitter } from '../../src/domain/questions/application.ts'
import { hiddenAnswersDropper } from '../../src/domain/questions/drop-hidden.ts'
import type { VersionQuestion } from '../../src/domain/questions/question.ts'
import { sentences } from '../../src/domain/random/sample-words.ts'
import { integerFrom, pick, type Rng, seededRandom } from '../../src/domain/random/seeded-random.ts'
import { answerSampler } from '../../src/domain/samples/sample-answers.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'

interface SeedPlan {
  slug: string
  statuses: readonly string[]
  /** Published versions, oldest first; each asks its questions for an equal part of the time. */
  versions: readonly StoredProgramVersion[]
  applications: number
  /** The first IDs to use. */
  applicant_id: number
  application_id: number
  /** Submissions are after the first and before the second. */
  from: Micros
  to: Micros
  seed: number
}

const minute: Micros = 60_000_000
const day: Micros = 24 * 60 * minute

/** How often an applicant submits again, which makes the earlier application OBSOLETE. */
const resubmittedShare = 0.125
/** The maximum number of applications in between; with few applications, a fifth of them. */
const resubmittedWithin = 2000

const languages = ['en-US', 'en-US', 'en-US', 'en-US', 'es-US', 'es-US', 'vi', 'zh-Hant-TW', 'so', 'ru'] as const
const intermediaries = [
  ['intake@casa-latina.example.org', 'Casa Latina'],
  ['benefits@harbor-clinic.example.org', 'Harbor Community Clinic'],
  ['ayuda@vecinos.example.org', 'Vecinos Unidos – Ayuda & Más'],
  ['front-desk@st-jude.example.org', 'St. Jude’s Shelter'],
] as const

export function* seedApplications(plan: SeedPlan): Generator<ExportedApplication> {
  const next = seededRandom(plan.seed)
  const samplers = plan.versions.map(version => ({ version, sample: answerSampler(version), amend: amender(version) }))
  /** Applicants who will submit again, with their last submission, by the number of the later application. */
  const again = new Map<number, Earlier>()
  let newest = plan.applicant_id - 1
  for (let i = 0; i < plan.applications; i++) {
    const earlier = again.get(i)
    const { applicant_id, language } = earlier ?? { applicant_id: ++newest, language: pick(next, languages) }
    again.delete(i)
    const share = (i + next()) / plan.applications
    const submit_time = plan.from + Math.floor(share * (plan.to - plan.from))
    const { version, sample, amend } = samplers[Math.floor((i / plan.applications) * samplers.length)]!
    const fresh = withLikelyAnswers(sample(next))
    const answers = earlier === undefined ? fresh : withLikelyAnswers(amend(next, earlier, fresh))
    const submitted = { applicant_id, language, version, answers }
    const isObsolete = next() < resubmittedShare && bookAgain(next, again, i, plan.applications, submitted)
    yield {
      applicant_id,
      application_id: plan.application_id + i,
      program_name: plan.slug,
      program_version_id: version.program_version_id,
      create_time: submit_time - integerFrom(next, minute, next() < 0.7 ? 60 * minute : 3 * day),
      submit_time,
      language,
      submitter: submitter(next),
      revision_state: isObsolete ? 'OBSOLETE' : 'CURRENT',
      annotations: annotations(next, plan, submit_time),
      answers,
    }
  }
}

interface Earlier {
  applicant_id: number
  language: string
  version: StoredProgramVersion
  answers: Answers
}

/**
 * An applicant's next answers: as before except for one to four. Answers that conditions depend on stay the same, so that the same questions are
 * shown. If the version differs, answers to unchanged questions are kept, and those that show other questions are as if for the first time.
 */
function amender(version: StoredProgramVersion) {
  const dropHidden = hiddenAnswersDropper(version.questions, version.screens)
  const conditions = JSON.stringify(
    version.screens.map(screen => [screen.visible_when, screen.questions.map(q => q.visible_when)]),
  )
  const decides = ({ question_id }: VersionQuestion) => new RegExp(`"question_id":${question_id}\\b`).test(conditions)
  const top = version.questions.filter(question => question.enumerator_id === null)
  /** Personal details stay the same. */
  const isWho = ({ kind, question_key }: VersionQuestion) => kind === 'NAME' || question_key === 'date_of_birth'
  const asked = (of: StoredProgramVersion, { question_id }: VersionQuestion) =>
    of.questions.find(question => question.question_id === question_id)?.question_version_id
  return (next: Rng, { version: before, answers }: Earlier, fresh: Answers): Answers => {
    if (before === version) {
      let amended: Answers = answers
      const free = top.filter(
        question =>
          !decides(question) &&
          !isWho(question) &&
          answers.has(question.question_key) &&
          fresh.has(question.question_key),
      )
      for (let left = integerFrom(next, 1, 4); left > 0 && free.length > 0; ) {
        const { question_key: key } = free.splice(integerFrom(next, 0, free.length - 1), 1)[0]!
        const answer = amendedAnswer(next, answers.get(key)!, fresh.get(key)!)
        const tried = withLikelyAnswers(new Map(amended).set(key, answer))
        if (Bun.deepEquals(tried.get(key), amended.get(key))) continue
        amended = tried
        left--
      }
      return amended
    }
    const amended = new Map(fresh)
    for (const question of top) {
      const answer = answers.get(question.question_key)
      const isSame = asked(before, question) === question.question_version_id && question.kind !== 'ENUMERATOR'
      if (answer !== undefined && isSame && !decides(question)) amended.set(question.question_key, answer)
    }
    dropHidden(amended)
    return amended
  }
}

/** In repeated questions, one date of one entity is corrected; any other answer is given again. */
function amendedAnswer(next: Rng, before: Answer, fresh: Answer): Answer {
  if (before.type !== 'ENUMERATOR') return fresh
  const entity = pick(next, before.entities)
  const entities = before.entities.map(item => {
    const dates = [...item.answers].flatMap(([key, answer]) => (answer.type === 'DATE' ? [{ key, ...answer }] : []))
    if (item !== entity || dates[0] === undefined) return item
    const { key, date } = dates[0]
    const day = date.endsWith('-17') ? '18' : '17'
    return { ...item, answers: new Map(item.answers).set(key, { type: 'DATE', date: `${date.slice(0, 8)}${day}` }) }
  })
  return { ...before, entities }
}

/**
 * The same answers, made consistent with each other and with the text of their question: an email address contains its owner's name, people move in
 * after they were born, children are younger than the applicant and parents older, a shelter has no bedrooms, and bills are named as such. Plausible
 * answers stay as they are.
 */
function withLikelyAnswers(answers: Answers): Answers {
  const likely = withBills(withLikelyYears(answers))
  const [name, mail] = [likely.get('applicant_name'), likely.get('email_address')]
  if (name?.type !== 'NAME' || mail?.type !== 'EMAIL') return likely
  const latin = `${name.first_name}.${name.last_name}`
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replace(/[^a-z.]/g, '')
  const [, number, host] = /(\d*)@(.*)$/.exec(mail.email) ?? []
  // None for a name in another script.
  const local = /^[a-z]+\.[a-z]+$/.test(latin) ? `${latin}${number}` : `family.${number}`
  return new Map(likely).set('email_address', { ...mail, email: `${local}@${host}` })
}

const billNames = ['electric-bill.pdf', 'gas-bill.pdf', 'water-bill.jpg']

function withBills(answers: Answers): Answers {
  const bills = answers.get('latest_bills')
  if (bills?.type !== 'FILE_UPLOAD') return answers
  const file_urls = bills.file_urls.map((url, i) => url.replace(/[^/]*$/, billNames[i % billNames.length]!))
  return new Map(answers).set('latest_bills', { ...bills, file_urls })
}

/** Each household has at most one spouse. */
function withOneSpouse(member: Answers, isFirst: boolean): Answers {
  const relationship = member.get('relationship')
  if (isFirst || relationship?.type !== 'SINGLE_SELECT' || relationship.selection !== 'spouse') return member
  return new Map(member).set('relationship', { ...relationship, selection: 'other' })
}

const isSpouse = ({ answers }: { answers: Answers }): boolean => {
  const relationship = answers.get('relationship')
  return relationship?.type === 'SINGLE_SELECT' && relationship.selection === 'spouse'
}

function withLikelyYears(answers: Answers): Answers {
  const born = yearOf(answers.get('date_of_birth'))
  if (born === undefined) return answers
  const likely = new Map(answers)
  const movedIn = yearOf(answers.get('move_in_date'))
  if (movedIn !== undefined && movedIn <= born)
    likely.set('move_in_date', inYear(answers, 'move_in_date', 2025 - (movedIn % 15)))
  const [housing, bedrooms] = [answers.get('housing'), answers.get('bedrooms')]
  if (housing?.type === 'SINGLE_SELECT' && housing.selection === 'shelter' && bedrooms?.type === 'NUMBER')
    likely.set('bedrooms', { ...bedrooms, number: 0 })
  const household = answers.get('household_members')
  if (household?.type === 'ENUMERATOR') {
    const spouse = household.entities.find(isSpouse)
    const entities = household.entities.map(entity => ({
      ...entity,
      answers: withLikelyAge(withOneSpouse(entity.answers, entity === spouse), born),
    }))
    likely.set('household_members', { ...household, entities })
  }
  return likely
}

function withLikelyAge(member: Answers, born: number): Answers {
  const [year, relationship] = [yearOf(member.get('member_birth_date')), member.get('relationship')]
  if (year === undefined || relationship?.type !== 'SINGLE_SELECT') return member
  const years: Record<string, [least: number, most: number]> = {
    child: [born + 18, Math.min(born + 38, 2025)],
    parent: [Math.max(1926, born - 38), born - 18],
    spouse: [born - 8, Math.min(born + 8, 2006)],
  }
  const [least, most] = years[relationship.selection] ?? [year, year]
  if (year >= least && year <= most) return member
  const likely = least + (year % (most - least + 1))
  return new Map(member).set('member_birth_date', inYear(member, 'member_birth_date', likely))
}

const yearOf = (answer: Answer | undefined): number | undefined =>
  answer?.type === 'DATE' ? Number(answer.date.slice(0, 4)) : undefined

const inYear = (answers: Answers, key: string, year: number): Answer => {
  const answer = answers.get(key)
  return { type: 'DATE', date: `${year}${answer?.type === 'DATE' ? answer.date.slice(4) : ''}` }
}

/** Schedules a later application for an applicant; false if there is no room for one. */
function bookAgain<T>(next: Rng, again: Map<number, T>, i: number, applications: number, applicant: T): boolean {
  let at = i + integerFrom(next, 1, Math.max(1, Math.min(resubmittedWithin, Math.floor(applications / 5))))
  while (again.has(at)) at++
  if (at >= applications) return false
  again.set(at, applicant)
  return true
}

function submitter(next: Rng): Submitter {
  if (next() >= 0.12) return { submitter_type: 'APPLICANT' }
  const [ti_email, ti_organization] = pick(next, intermediaries)
  return { submitter_type: 'TRUSTED_INTERMEDIARY', ti_email, ti_organization }
}

/** Most have been reviewed, and got a status within a month. */
function annotations(next: Rng, plan: SeedPlan, submitTime: Micros): Annotations {
  const application_note = next() < 0.15 ? pick(next, sentences) : null
  if (plan.statuses.length === 0 || next() >= 0.6)
    return { status: null, status_last_modified_time: null, application_note }
  const latest = Math.min(submitTime + 30 * day, plan.to)
  const status_last_modified_time = submitTime + Math.floor(next() * (latest - submitTime))
  return { status: pick(next, plan.statuses), status_last_modified_time, application_note }
}
