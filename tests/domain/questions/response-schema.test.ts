import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { questionSchema } from '../../../src/domain/questions/answer-schema.ts'
import type { Answers } from '../../../src/domain/questions/answers.ts'
import { followedShape } from '../../../src/domain/questions/followed-shape.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../../src/domain/questions/key-map.ts'
import { responseSchema } from '../../../src/domain/questions/response-schema.ts'
import { examplePage } from '../../../src/domain/samples/docs-example.ts'
import { answersTo, publishedVersions } from '../../support/arbitraries.ts'
import { everyKindVersion } from '../../support/every-kind.ts'
import { plainApplication } from '../../support/plain-renderer.ts'
import { schemaChecker, schemaErrors } from '../../support/response-schema.ts'

const version = everyKindVersion()
const keyMap = buildKeyMap([version])
const schemaOf = (map: KeyMap, closed: boolean) =>
  responseSchema(map, { slug: version.slug, id: 'https://apply.example.gov/schema.json', closed })
const example = (program_name?: string) => JSON.parse(examplePage({ ...version, program_name }, keyMap, 'Asia/Kolkata'))

/** ajv passes over a property named __proto__, so programs with such a key have a test of their own. */
const withoutProto = (versions: PublishedVersion[]): boolean =>
  versions.every(version => version.questions.every(question => question.question_key !== '__proto__'))

describe('the response schema', () => {
  test('fits the example of any version of any program and documents all of it', () => {
    fc.assert(
      fc.property(publishedVersions.filter(withoutProto), fc.nat(), (versions, nth) => {
        const chosen = { ...versions[nth % versions.length]!, slug: version.slug, statuses: ['Approved'], screens: [] }
        const map = buildKeyMap(versions)
        const page = JSON.parse(examplePage(chosen, map, 'UTC'))
        expect(schemaErrors(schemaOf(map, true), page)).toEqual([])
        expect(schemaErrors(schemaOf(map, false), page)).toEqual([])
      }),
      { numRuns: 25 },
    )
    // A schema is compiled for each program.
  }, 60_000)

  test('fits any answers, not only sample ones', () => {
    const check = schemaChecker(schemaOf(keyMap, true))
    fc.assert(
      fc.property(answersTo(keyMap), answers => {
        expect(check({ payload: [applicationWith(answers)], nextPageToken: null })).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  test('refuses what no export contains: a missing question, a wrong type, another program', () => {
    const check = schemaChecker(schemaOf(keyMap, false))
    const broken = (change: (application: Loose, answers: Loose) => unknown): string[] => {
      const page = example()
      change(page.payload[0], page.payload[0].application)
      return check(page)
    }
    expect(broken((_, answers) => delete answers.text_one)).toHaveLength(1)
    expect(broken((_, answers) => delete answers.enumerator_one.entities[1].enumerator_two)).toHaveLength(1)
    expect(broken((_, answers) => Object.assign(answers.number_one, { number: 1.5 }))).toHaveLength(1)
    expect(broken((_, answers) => Object.assign(answers.checkbox_one, { selections: null }))).toHaveLength(1)
    expect(broken((_, answers) => Object.assign(answers, { new_one: { text: 'no type' } }))).toHaveLength(1)
    expect(broken(application => Object.assign(application, { program_name: 'another' }))).toHaveLength(1)
    expect(broken(application => Object.assign(application, { submit_time: '2026-01-01' }))).toHaveLength(1)
    expect(check({ payload: [] })).toHaveLength(1)
    expect(check({ ...example(), nextPageToken: 'no token' })).toHaveLength(1)
  })

  test.each(['contract', 'origin'] as const)(
    'of a followed program accepts what its origin may have stored: %s',
    profile => {
      const followed = followedShape({ slug: version.slug, origin_name: 'Every Kind' }, profile)
      const own = schemaChecker(schemaOf(keyMap, false))
      const check = schemaChecker(
        responseSchema(keyMap, { slug: version.slug, id: `https://apply.example.gov/${profile}.json`, followed }),
      )
      const page = example(followed?.programName)
      expect([check(page), own(page).length === 0]).toEqual([[], profile === 'contract'])
      for (const [key, change] of Object.entries({
        number_one: { number: 2 ** 60 },
        address_one: { zip: 'none', state: 'Washington', corrected: 'Perhaps' },
        date_one: { date: '1 May' },
        enumerator_one: {
          entities: [{ ...page.payload[0].application.enumerator_one.entities[0], entity_name: null }],
        },
      })) {
        const stored = structuredClone(page)
        Object.assign(stored.payload[0].application[key], change)
        expect([key, check(stored)]).toEqual([key, []])
        expect([key, own(stored).length]).not.toEqual([key, own(page).length])
      }
      page.payload[0].submit_time = null
      expect(check(page)).toEqual([])
      delete page.payload[0].application.file_upload_one.file_key
      expect(check(page)).toHaveLength(profile === 'origin' ? 0 : 1)
      page.payload[0].application.number_one.number = 'many'
      expect(check(page)).not.toEqual([])
    },
  )

  // Spec, "Versioning" 2: "Enumerated values may gain new members in the future: `revision_state`, `submitter_type`,
  // `question_type`, and the name `suffix`. Clients must handle unknown values."
  test('accepts what the specification allows to be added, and its closed form does not', () => {
    const grown = example()
    const application = grown.payload[0]
    application.revision_state = 'WITHDRAWN'
    application.submitter_type = 'GUARDIAN'
    application.application.name_one.suffix = 'VI'
    application.application.signature = { question_type: 'SIGNATURE', strokes: 4 }
    application.application.enumerator_one.entities[0].signature = { question_type: 'SIGNATURE', strokes: 4 }
    application.application.radio_one.selection = 'yellow'
    application.application.checkbox_one.selections.push('yellow')
    application.reviewed_by = 'a reviewer'
    expect(schemaErrors(schemaOf(keyMap, false), grown)).toEqual([])
    expect(schemaErrors(schemaOf(keyMap, true), grown).length).toBeGreaterThanOrEqual(8)
  })

  test('has every option ID that was ever selectable as an example', () => {
    const radio = keyMap.find(node => node.question_key === 'radio_one')!
    expect(questionSchema(radio, { definitionsAt: '#/$defs/' })).toMatchObject({
      properties: { selection: { type: ['string', 'null'], examples: ['red', 'green', 'dark_blue'] } },
    })
  })

  test('has a question key such as __proto__ as a property like any other', () => {
    const questions = [{ ...version.questions[0]!, question_key: '__proto__' }]
    const schema = JSON.parse(JSON.stringify(schemaOf(buildKeyMap([{ program_version_id: 1, questions }]), false)))
    expect(Object.hasOwn(schema.$defs.Answers.properties, '__proto__')).toBe(true)
    expect(schema.$defs.Answers.required).toEqual(['__proto__'])
  })
})

/** Parsed JSON, as a test that breaks it sees it. */
type Loose = ReturnType<typeof example>

function applicationWith(answers: Answers): Record<string, unknown> {
  const submission = {
    applicant_id: 1,
    application_id: 2,
    create_time: 0,
    submit_time: 1,
    language: 'en',
    program_name: version.slug,
    program_version_id: 41,
    submitter: { submitter_type: 'APPLICANT' as const },
    answers,
  }
  const annotations = { status: null, status_last_modified_time: null, application_note: null }
  return plainApplication(submission, annotations, 'CURRENT', keyMap, 'UTC')
}
