// Renders answers as CiviForm stores them into the export's JSON text, with a marker at the end of each entity. One function per question
// type. The formats come from CiviForm's QuestionJsonPresenter, and from the manual where it differs.

import { markerEnd, markerStart } from '../../domain/questions/answers.ts'
import { isJsonArray, isJsonObject, type Json, parseJson } from '../../domain/values/json-text.ts'
import type { LiveApplicant } from '../db/source-applications.ts'
import type { Rendering } from '../source/profile.ts'
import type { PlannedQuestion } from './answer-plan.ts'
import { member, readDay, readDouble, readLong, readLongs, readText, readTexts } from './stored-scalars.ts'

/** The context of an application's answers. */
export interface AnswerContext extends Rendering {
  /** The applicant's own row; null unless the profile shows it. */
  live: LiveApplicant | null
  /** Called for unreadable data, without the answer. */
  report: (detail: string) => void
}

const json = JSON.stringify

/** `"key":{…}` for every question, answered or not, joined by commas. `stored` is the object with their answers. */
export function renderAnswers(
  questions: readonly PlannedQuestion[],
  stored: Json | undefined,
  liveAnswers: Json | undefined,
  context: AnswerContext,
): string {
  return questions
    .map(question => {
      const own = member(stored, question.key)
      return `${json(question.key)}:${renderAnswer(question, own, member(liveAnswers, question.key), context)}`
    })
    .join(',')
}

function renderAnswer(
  question: PlannedQuestion,
  stored: Json | undefined,
  live: Json | undefined,
  context: AnswerContext,
): string {
  if (question.type === undefined) return question.unanswered
  const render = renderers[question.type]
  return render === undefined ? question.unanswered : render(question, stored, context, live)
}

type Render = (
  question: PlannedQuestion,
  stored: Json | undefined,
  context: AnswerContext,
  live: Json | undefined,
) => string

const text =
  (type: string, stored: string, exported = stored): Render =>
  (_, answer) =>
    `{"question_type":"${type}","${exported}":${json(readText(member(answer, stored)))}}`

const singleSelect: Render = ({ options }, answer) => {
  const id = readLong(member(answer, 'selection'))
  return `{"question_type":"SINGLE_SELECT","selection":${json(id === null ? null : (options.get(String(id)) ?? null))}}`
}

const enumerator: Render = (question, answer, context) => {
  const entities = isJsonArray(answer) ? answer : []
  const marker = `${markerStart}${question.question_id}${markerEnd}`
  const rendered = entities.map(entity => {
    const answers = renderAnswers(question.children, entity, undefined, context)
    const name = json(readText(member(entity, 'entity_name')))
    return `{"entity_name":${name}${answers === '' ? '' : `,${answers}`}${marker}}`
  })
  return `{"question_type":"ENUMERATOR","entities":[${rendered.join(',')}]}`
}

const renderers: Readonly<Record<string, Render>> = {
  ADDRESS: (_, answer, context) => {
    const textOf = (name: string): string => json(readText(member(answer, name)))
    const wellKnownId = readLong(member(answer, 'well_known_id'))
    return (
      `{"question_type":"ADDRESS","street":${textOf('street')},"line2":${textOf('line2')},"city":${textOf('city')},` +
      `"state":${textOf('state')},"zip":${textOf('zip')},"corrected":${textOf('corrected')},` +
      `"latitude":${json(coordinate(member(answer, 'latitude')))},"longitude":${json(coordinate(member(answer, 'longitude')))},` +
      `"well_known_id":${json(wellKnownId === null ? null : String(wellKnownId))},` +
      `"service_area":${json(serviceAreas(answer, context))}}`
    )
  },
  CHECKBOX: ({ options }, answer) => {
    const chosen = new Set(readLongs(member(answer, 'selections')).map(String))
    const names = [...options].filter(([id]) => chosen.has(id)).map(([, name]) => name)
    return `{"question_type":"MULTI_SELECT","selections":${json(names)}}`
  },
  CURRENCY: (_, answer) => {
    const cents = readLong(member(answer, 'currency_cents'))
    return `{"question_type":"CURRENCY","currency_dollars":${cents === null ? null : dollars(cents)}}`
  },
  DATE: ({ primary }, answer, { live }) => {
    const day = readDay(member(answer, 'date')) ?? (primary === 'DOB' ? (live?.date_of_birth ?? null) : null)
    return `{"question_type":"DATE","date":${json(day)}}`
  },
  DROPDOWN: singleSelect,
  EMAIL: ({ primary }, answer, { live }) => {
    const email = readText(member(answer, 'email')) ?? (primary === 'EMAIL' ? filled(live?.email_address) : null)
    return `{"question_type":"EMAIL","email":${json(email)}}`
  },
  ENUMERATOR: enumerator,
  REPEATER: enumerator,
  FILEUPLOAD: (_, answer, context) => {
    const listed = readTexts(member(answer, 'file_key_list'))
    const single = readText(member(answer, 'file_key'))
    const keys = listed.length === 0 && single !== null && context.profile === 'contract' ? [single] : listed
    const urls = keys.map(key => fileUrl(key, context.civiformBaseUrl))
    const first = context.profile === 'contract' ? `"file_key":${json(urls[0] ?? null)},` : ''
    return `{"question_type":"FILE_UPLOAD",${first}"file_urls":${json(urls)}}`
  },
  ID: text('ID', 'id'),
  MAP: (_, answer, { profile }, live) => {
    const from = profile === 'origin' ? (live ?? answer) : answer
    const selections = readTexts(member(from, 'selections'))
      .map(featureId)
      .filter(id => id !== null)
    return `{"question_type":"MAP","selections":${json(selections)}}`
  },
  NAME: ({ primary }, answer, { live, profile }) => {
    const part = (name: string, fallback: keyof LiveApplicant): string | null =>
      readText(member(answer, name)) ?? (primary === 'NAME' ? filled(live?.[fallback]) : null)
    const suffix = part('name_suffix', 'suffix')
    return (
      `{"question_type":"NAME","first_name":${json(part('first_name', 'first_name'))},` +
      `"middle_name":${json(part('middle_name', 'middle_name'))},"last_name":${json(part('last_name', 'last_name'))},` +
      `"suffix":${json(profile === 'contract' ? suffixCode(suffix) : suffix)}}`
    )
  },
  NUMBER: (_, answer) => `{"question_type":"NUMBER","number":${readLong(member(answer, 'number'))}}`,
  PHONE: ({ primary, key }, answer, context) => {
    const own = { country: readText(member(answer, 'country_code')), number: readText(member(answer, 'phone_number')) }
    const live = primary === 'PHONE' ? context.live : null
    const country = own.country ?? filled(live?.country_code)
    const number = own.number ?? filled(live?.phone_number)
    const dialed = country === null || number === null ? null : internationalNumber(number)
    if (country !== null && number !== null && dialed === null)
      context.report(`${key} is not a phone number; it is exported as null`)
    return `{"question_type":"PHONE","phone_number":${json(dialed)}}`
  },
  RADIO_BUTTON: singleSelect,
  TEXT: text('TEXT', 'text'),
  YES_NO: singleSelect,
}

const filled = (value: string | null | undefined): string | null => (value === undefined || value === '' ? null : value)

/** Cents as dollars, exact for any number. */
function dollars(cents: bigint): string {
  const sign = cents < 0n ? '-' : ''
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`.replace(/\.?0+$/, '')
}

/** At most eight decimals, rounded half to even, without trailing zeros, like Java's format. */
function coordinate(stored: Json | undefined): string | null {
  const value = readDouble(stored)
  if (value === null) return null
  const exact = value.toFixed(20)
  const rounded = value.toFixed(8)
  const isTie = /^50*$/.test(exact.slice(exact.indexOf('.') + 9))
  const even = isTie && Number(rounded.at(-1)) % 2 === 1 ? halfDown(exact) : rounded
  return even.replace(/\.?0+$/, '')
}

/** Truncated after eight decimals. */
const halfDown = (exact: string): string => exact.slice(0, exact.indexOf('.') + 9)

const areaStates: Readonly<Record<string, string>> = { IN_AREA: 'InArea', NOT_IN_AREA: 'NotInArea', FAILED: 'Failed' }

/** One incomplete record invalidates all. Before 2023 the text itself was stored, which CiviForm's code no longer reads. */
function serviceAreas(answer: Json | undefined, { profile }: AnswerContext): string | null {
  const records = member(answer, 'service_areas')
  if (isJsonArray(records) && records.length > 0) {
    const areas = records.map(record => {
      const id = readText(member(record, 'service_area_id'))
      const state = areaStates[readText(member(record, 'service_area_state')) ?? '']
      const timestamp = readLong(member(record, 'timestamp'))
      return id === null || state === undefined || timestamp === null ? null : `${id}_${state}_${timestamp}`
    })
    return areas.includes(null) ? null : areas.join(',')
  }
  return profile === 'contract' ? readText(member(answer, 'service_area')) : null
}

/** The key is URL-encoded, and encoded again as part of a path. */
function fileUrl(key: string, baseUrl: string): string {
  const encoded = encodeURIComponent(key.toWellFormed())
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${baseUrl}/admin/applicant-files/${encoded.replaceAll('%', '%25')}`
}

function featureId(stored: string): string | null {
  const parsed = parseJson(stored, { depthMax: 10, lastOfDuplicates: true })
  return 'json' in parsed && isJsonObject(parsed.json) ? readText(member(parsed.json, 'featureId')) : null
}

/** `Jr.` in the manual's form: `JR`. */
function suffixCode(suffix: string | null): string | null {
  const code = suffix?.replace('.', '').toUpperCase()
  return code !== undefined && /^(JR|SR|I|II|III|IV|V)$/.test(code) ? code : suffix
}

/** In E.164. The countries that CiviForm knows, the USA and Canada, share one code. */
function internationalNumber(stored: string): string | null {
  if (/[^0-9+().\-\s/]/.test(stored)) return null
  const digits = stored.replace(/[^0-9]/g, '')
  if (digits.length < 2 || digits.length > 15) return null
  if (stored.trim().startsWith('+')) return `+${digits}`
  return `+1${digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits}`
}
