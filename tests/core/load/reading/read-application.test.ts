import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { spliceRow } from '../../../../src/core/export/framings/splice.ts'
import type { DocumentError } from '../../../../src/core/load/reading/document-errors.ts'
import { knownMembers } from '../../../../src/core/load/reading/question-objects.ts'
import {
  type ExportedApplication,
  readExportedApplication,
} from '../../../../src/core/load/reading/read-application.ts'
import {
  type Annotations,
  renderAnnotations,
  renderSnapshot,
  type Submission,
} from '../../../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../../../src/domain/questions/key-map.ts'
import { planFill } from '../../../../src/domain/questions/version-fill.ts'
import { sampleAnswers } from '../../../../src/domain/samples/sample-answers.ts'
import { type Json, parseJson } from '../../../../src/domain/values/json-text.ts'
import { answersTo, anySubmitter, anyText, publishedVersions } from '../../../support/arbitraries.ts'
import { aVersion, options } from '../../../support/program-version.ts'
import { storedRow } from '../../../support/stored-row.ts'

const now = Date.parse('2026-02-01T00:00:00Z') * 1000
const second = 1_000_000

/** The exporter's own bytes for an application. */
function exported(
  submission: Submission,
  annotations: Annotations,
  keyMap: KeyMap,
  shape: KeyMap,
  zone: string,
): string {
  const row = storedRow(renderSnapshot(submission, shape, zone), renderAnnotations(annotations, zone), true)
  const target = Buffer.alloc(row.bytes.length * 4 + 100_000)
  const end = spliceRow(target, 0, row, planFill(keyMap, shape))
  return target.toString('utf8', 0, end)
}

function jsonOf(text: string): Json {
  const parsed = parseJson(text, { depthMax: 64 })
  if ('error' in parsed) throw new Error(parsed.error.detail)
  return parsed.json
}

const storable = anyText.filter(text => !text.includes('\0'))
const time = fc.integer({ min: 0, max: now / second }).map(seconds => seconds * second)

test('an exported application is read and renders to the same stored text', () => {
  // Types that only a followed origin knows are not loaded.
  const isKnown = ({ questions }: PublishedVersion) =>
    questions.every(question => question.settings.origin_type === undefined)
  const loaded = publishedVersions.filter(versions => versions.every(isKnown))
  const programs = loaded.chain(versions =>
    fc.nat({ max: versions.length - 1 }).chain(chosen => {
      const shape = buildKeyMap([versions[chosen]!])
      return fc.record({ versions: fc.constant(versions), chosen: fc.constant(chosen), answers: answersTo(shape) })
    }),
  )
  const notes = fc.record({
    status: fc.option(storable),
    status_last_modified_time: time,
    application_note: fc.option(storable),
  })
  const zones = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kathmandu')
  fc.assert(
    fc.property(programs, anySubmitter, notes, time, zones, (program, submitter, annotations, submit_time, zone) => {
      const { versions, chosen, answers } = program
      const { program_version_id } = versions[chosen]!
      const keyMap = buildKeyMap(versions)
      const shape = buildKeyMap([versions[chosen]!])
      const submission: Submission = {
        applicant_id: 7,
        application_id: 9,
        language: 'zh-Hant-TW',
        program_name: 'any',
        program_version_id,
        submitter,
        answers,
        submit_time,
        create_time: submit_time - second,
      }
      const line = exported(submission, annotations, keyMap, shape, zone)
      const read = readExportedApplication(jsonOf(line), () => knownMembers(keyMap, shape), now)
      if ('errors' in read) throw new Error(JSON.stringify(read.errors))
      expect(renderSnapshot(read.application, shape, zone)).toBe(renderSnapshot(submission, shape, zone))
      expect(read.application.annotations).toEqual(annotations)
      expect(exported(read.application, read.application.annotations, keyMap, shape, zone)).toBe(line)
    }),
    { numRuns: 300 },
  )
})

const version = aVersion({
  town: { kind: 'TEXT', max_length: 3 },
  home: { kind: 'ADDRESS' },
  rent: { kind: 'CURRENCY' },
  born: { kind: 'DATE' },
  files: { kind: 'FILE_UPLOAD' },
  case: { kind: 'ID', min_length: 4 },
  spot: { kind: 'MAP', options: options('a', 'b') },
  name: { kind: 'NAME' },
  count: { kind: 'NUMBER', min: 1, max: 9 },
  phone: { kind: 'PHONE' },
  pet: { kind: 'RADIO', options: options('cat') },
  kids: { kind: 'ENUMERATOR' },
  kidname: { kind: 'NAME', under: 'kids' },
})
const later = aVersion({
  later: { kind: 'TEXT' },
  laterkids: { kind: 'ENUMERATOR' },
  laterkid: { kind: 'TEXT', under: 'laterkids' },
})
const laterQuestions = later.questions.map(q => ({
  ...q,
  question_id: q.question_id + 100,
  enumerator_id: q.enumerator_id === null ? null : q.enumerator_id + 100,
}))
// The later version offers another pet, and asks of each kid something new.
const laterPet = {
  ...version.questions.find(q => q.admin_name === 'pet')!,
  settings: { text: '?', options: options('dog') },
}
const kids = version.questions.find(q => q.admin_name === 'kids')!
const kidToy = { ...laterQuestions[0]!, question_id: 200, question_key: 'toy', enumerator_id: kids.question_id }
const versions = [
  { program_version_id: 7, questions: version.questions },
  { program_version_id: 8, questions: [...laterQuestions, laterPet, kids, kidToy] },
]
const keyMap = buildKeyMap(versions)
const shape = buildKeyMap([versions[0]!])
const members = knownMembers(keyMap, shape)
const answers = sampleAnswers(version)
const submission: Submission = {
  applicant_id: 7,
  application_id: 9,
  language: 'en-US',
  program_name: 'housing-aid',
  program_version_id: 7,
  submitter: { submitter_type: 'APPLICANT' },
  create_time: now - 9 * second,
  submit_time: now - 5 * second,
  answers,
}
const unannotated: Annotations = { status: null, status_last_modified_time: null, application_note: null }
// biome-ignore lint/suspicious/noExplicitAny: tests reach into JSON to break it.
type Broken = any
const valid = (): Broken => JSON.parse(exported(submission, unannotated, keyMap, shape, 'UTC'))
/** `value`: an application object, or its text. */
const read = (value: unknown) =>
  readExportedApplication(jsonOf(typeof value === 'string' ? value : JSON.stringify(value)), () => members, now)
const errorsIn = (value: unknown): readonly DocumentError[] => {
  const result = read(value)
  return 'errors' in result ? result.errors : []
}
const errorsOf = (value: unknown): string[] => errorsIn(value).map(error => `${error.path} ${error.code}`)
const taken = (value: unknown): ExportedApplication => {
  const result = read(value)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result.application
}

/** What to do to a valid object, and where the error is then found. */
const breakages: readonly [string, (a: Broken) => void, string][] = [
  ['no id', a => delete a.application_id, '/application_id wrong_format'],
  ['an id in quotes', a => (a.applicant_id = '7'), '/applicant_id wrong_format'],
  ['an id of 0', a => (a.applicant_id = 0), '/applicant_id wrong_format'],
  ['a time without an offset', a => (a.submit_time = '2026-01-31T09:30:00'), '/submit_time wrong_format'],
  ['a time of day 31 in a month of 30', a => (a.create_time = '2025-11-31T09:30:00Z'), '/create_time wrong_format'],
  ['a time finer than a microsecond', a => (a.create_time = '2025-11-30T09:30:00.1234567Z'), '/create_time wrong_format'],
  ['a time in the future', a => (a.submit_time = '2026-02-01T00:00:01Z'), '/submit_time in_the_future'],
  ['submitted before all times (D35)', a => (a.create_time = a.submit_time = '1899-12-31T23:59:59.999999Z'), '/submit_time too_early'],
  ['begun after it was submitted', a => (a.create_time = '2026-01-31T23:59:59Z'), '/create_time wrong_order'],
  ['no language', a => (a.language = null), '/language not_a_string'],
  ['a language that is none', a => (a.language = 'English!'), '/language wrong_format'],
  ['an unknown state', a => (a.revision_state = 'DRAFT'), '/revision_state unknown_value'],
  ['an unknown submitter', a => (a.submitter_type = 'ROBOT'), '/submitter_type unknown_value'],
  ['an intermediary without email', a => Object.assign(a, { submitter_type: 'TRUSTED_INTERMEDIARY', ti_organization: 'x' }), '/ti_email incomplete'],
  ['an applicant with an organization', a => (a.ti_organization = 'x'), '/submitter_type wrong_submitter'],
  ['a status without a time', a => (a.status = 'Approved'), '/status_last_modified_time incomplete'],
  ['a note with U+0000', a => (a.application_note = 'a\0b'), '/application_note unstorable_text'],
  ['a note with a lone surrogate', a => (a.application_note = '\ud800'), '/application_note unstorable_text'],
  ['an unknown field', a => (a.statuss = null), '/statuss unknown_field'],
  ['no answers', a => delete a.application, '/application not_an_object'],
  ['answers that are an array', a => (a.application = []), '/application not_an_object'],
  ['an unknown key', a => (a.application.unknown = { question_type: 'TEXT', text: null }), '/application/unknown unknown_key'],
  ['a question that is null', a => (a.application.town = null), '/application/town not_an_object'],
  ['another type', a => (a.application.town.question_type = 'NUMBER'), '/application/town/question_type wrong_question_type'],
  ['an unknown field of a question', a => (a.application.town.txt = 'x'), '/application/town/txt unknown_field'],
  ['a text that is a number', a => (a.application.town.text = 1), '/application/town/text wrong_type'],
  ['an address without a city', a => (a.application.home.city = null), '/application/home/city required'],
  ['an unknown state of the union', a => (a.application.home.state = 'wa'), '/application/home/state malformed'],
  ['a place of an address that was not corrected', a => (a.application.home.latitude = '1'), '/application/home/latitude not_allowed'],
  ['a fraction of a cent', a => (a.application.rent.currency_dollars = 1.005), '/application/rent/currency_dollars malformed'],
  ['an amount in quotes', a => (a.application.rent.currency_dollars = '1'), '/application/rent/currency_dollars wrong_type'],
  ['a day that is none', a => (a.application.born.date = '2023-02-29'), '/application/born/date malformed'],
  ['another file_key', a => (a.application.files.file_key = 'x'), '/application/files/file_key not_allowed'],
  ['a file that is a number', a => (a.application.files.file_urls = [1]), '/application/files/file_urls/0 wrong_type'],
  ['letters in an id', a => (a.application.case.id = '12a'), '/application/case/id malformed'],
  ['a map feature that never was', a => (a.application.spot.selections = ['c']), '/application/spot/selections/0 not_an_option'],
  ['one option twice', a => (a.application.spot.selections = ['a', 'a']), '/application/spot/selections/1 duplicate'],
  ['half a name', a => (a.application.name.last_name = null), '/application/name/last_name required'],
  ['a number that is none', a => (a.application.count.number = 1.5), '/application/count/number malformed'],
  ['an option that never was', a => (a.application.pet.selection = 'bird'), '/application/pet/selection not_an_option'],
  ['entities that are no array', a => (a.application.kids.entities = {}), '/application/kids/entities wrong_type'],
  ['an entity that is a text', a => (a.application.kids.entities[1] = 'x'), '/application/kids/entities/1 not_an_object'],
  ['an entity without a name', a => delete a.application.kids.entities[1].entity_name, '/application/kids/entities/1/entity_name wrong_type'],
  ['an error deep within', a => (a.application.kids.entities[1].kidname.suffix = 7), '/application/kids/entities/1/kidname/suffix wrong_type'],
  ['an answer to what its version did not ask', a => (a.application.later.text = 'x'), '/application/later not_in_version'],
  ['entities its version did not ask for', a => (a.application.laterkids.entities = [{ entity_name: 'x' }]), '/application/laterkids not_in_version'],
  ['such an answer within an entity', a => (a.application.kids.entities[0].toy.text = 'x'), '/application/kids/entities/0/toy not_in_version'],
] // biome-ignore format: a table

describe('an application object that is refused', () => {
  test.each(breakages)('for %s', (_, breakIt, error) => {
    const value = valid()
    expect(errorsOf(value)).toEqual([])
    breakIt(value)
    expect(errorsOf(value)).toEqual([error])
  })

  test('distinguishes missing from null', () => {
    const detailsOf = (value: unknown): string[] => errorsIn(value).map(error => error.detail)
    for (const field of 'application_id program_name language revision_state submitter_type application'.split(' ')) {
      const { [field]: _, ...without } = valid()
      expect(detailsOf(without)).toEqual([expect.stringMatching(/ absent$/)])
      expect(detailsOf({ ...without, [field]: null })).toEqual([expect.stringMatching(/ null$/)])
    }
    const untyped = valid()
    delete untyped.application.town.question_type
    expect(detailsOf(untyped)).toEqual([expect.stringMatching(/\bTEXT\b/)])
  })

  test('with a bounded list of all its errors', () => {
    const value = valid()
    const several = breakages.filter(([name]) =>
      ['a fraction of a cent', 'a day that is none', 'letters in an id'].includes(name),
    )
    for (const [, breakIt] of several) breakIt(value)
    expect(errorsOf(value)).toEqual(several.map(([, , error]) => error))
    value.application.kids.entities = Array.from({ length: 1000 }, () => null)
    expect(errorsOf(value).length).toBeLessThanOrEqual(20)
  })

  test('for IDs beyond ±(2^53 − 1) or with a fraction, however they are written (D19)', () => {
    const line = JSON.stringify(valid())
    const withNumber = (source: string): string => line.replace(/"number":[0-9]+/, `"number":${source}`)
    for (const source of ['9007199254740992', '9007199254740993', '1.0000000000000000001', '1e400', '1e20', '-0.5'])
      expect(errorsOf(withNumber(source))).toEqual(['/application/count/number malformed'])
    for (const source of ['9007199254740991', '-9007199254740991', '1.0', '1e3', '-7']) {
      const { answers } = taken(withNumber(source))
      expect(answers.get('count')).toEqual({ type: 'NUMBER', number: Number(source) })
    }
    const withAmount = (source: string): string =>
      line.replace(/"currency_dollars":[0-9.]+/, `"currency_dollars":${source}`)
    const { answers } = taken(withAmount('90071992547409.91'))
    expect(answers.get('rent')).toEqual({ type: 'CURRENCY', currency_cents: 9_007_199_254_740_991 })
    expect(errorsOf(withAmount('90071992547409.92'))).toEqual(['/application/rent/currency_dollars malformed'])
  })
})

describe('an application object that is accepted', () => {
  test.each<[string, (a: Broken) => void]>([
    ['"Older answers may violate them": a text longer than its bound', a => (a.application.town.text = 'long')],
    ['an id shorter than its bound', a => (a.application.case.id = '1')],
    ['a number above its bound', a => (a.application.count.number = 1000)],
    ['"Any option ID that was ever selectable may appear"', a => (a.application.pet.selection = 'dog')],
    ['the time at which a status was taken away', a => (a.status_last_modified_time = '2026-01-31T00:00:00Z')],
  ])('with %s', (_, change) => {
    const value = valid()
    change(value)
    expect(errorsOf(value)).toEqual([])
  })

  test('missing keys and fields count as unanswered, and nullable fields may be missing', () => {
    const value = valid()
    value.application = { name: value.application.name, town: { question_type: 'TEXT' } }
    for (const field of ['status', 'status_last_modified_time', 'application_note', 'ti_email', 'ti_organization'])
      delete value[field]
    const { answers, annotations } = taken(value)
    expect([...answers.keys()]).toEqual(['name'])
    expect(annotations).toEqual(unannotated)
  })

  test('times with any offset are read as instants', () => {
    expect(taken({ ...valid(), submit_time: '2026-01-31T18:59:55.5-05:00' }).submit_time).toBe(now - 4_500_000)
  })
})
