import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '../../../support/arbitraries.ts'
import { unlimited } from '../../../support/config.ts'
import { useIntake } from '../../../support/fixtures.ts'
import { everyKind } from '../../../support/programs.ts'

const questions = everyKind.map(spec => ({ ...spec, placement: { ...spec.placement, optional: true } }))
const intake = await useIntake(questions, unlimited)
const keys: string[] = intake.program.version.questions
  .filter(question => question.enumerator_id === null)
  .map(q => q.question_key)

const fields = [
  ...[
    'text',
    'email',
    'first_name',
    'last_name',
    'number',
    'currency_dollars',
    'date',
    'id',
    'selection',
    'selections',
  ],
  ...[
    'entities',
    'entity_name',
    'file_urls',
    'street',
    'city',
    'state',
    'zip',
    'phone_number',
    '__proto__',
    'constructor',
  ],
]
const hostileText = fc.oneof(
  anyText,
  fc.constantFrom(
    '٣',
    '１２',
    '\ud800',
    'a\udc00',
    '%00',
    "' or 1=1",
    'WA',
    '98101',
    '2024-02-29',
    'king',
    'https://a.example/',
    '+12065550100',
  ),
)
const scalar = fc.oneof(hostileText, fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
/** Objects whose keys are often those of questions and fields. */
const anyAnswer = fc.letrec(tie => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 4 }), tie('object')),
  object: fc
    .array(fc.tuple(fc.oneof(fc.constantFrom(...fields), hostileText), tie('value')), { maxLength: 5 })
    .map(entries => objectOf(entries)),
}))

/** What a question takes, with any text where it takes texts; one in some is refused all the same. */
const fitting: fc.Arbitrary<[string, object]> = fc.oneof(
  ...[
    { anything_else: { text: hostileText } },
    { contact_email: { email: hostileText } },
    { applicant_name: { first_name: hostileText, last_name: hostileText } },
    { household_size: { number: fc.oneof(fc.integer(), fc.double()) } },
    { monthly_rent: { currency_dollars: fc.oneof(fc.nat(), fc.double()) } },
    { home_address: { street: hostileText, city: hostileText, state: fc.constant('WA'), zip: fc.constant('98101') } },
    { household_member: { entities: fc.array(fc.record({ entity_name: hostileText }), { maxLength: 3 }) } },
  ].map(spec => {
    const [[key, fields]] = Object.entries(spec) as [[string, Record<string, fc.Arbitrary<unknown>>]]
    return fc.record(fields).map((answer): [string, object] => [key, answer])
  }),
)

/** With `__proto__` as a property like any other. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  const object = {}
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  return object
}

test('any answers get a clear 400 or are stored and exported exactly, and never cause a 500', async () => {
  const anything = fc.tuple(
    fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: hostileText }),
    anyAnswer.object,
  )
  const body = fc
    .array(fc.oneof(anything, fitting), { maxLength: 3 })
    .map(entries =>
      objectOf(entries.map(([key, answer]) => [typeof key === 'number' ? keys[key % keys.length]! : key, answer])),
    )
  const seen = new Set<number>()
  let reported = 0
  const submissions = new Map<unknown, Record<string, unknown>>()
  await fc.assert(
    fc.asyncProperty(body, async answers => {
      const applicant = await intake.register()
      const saved = await intake.save(applicant, answers)
      seen.add(saved.status)
      if (saved.status === 400) {
        expect(saved.body.errors!.length).toBeGreaterThan(0)
        for (const error of saved.body.errors!) expect(error.path).toStartWith('/answers')
        return
      }
      expect(saved.status).toBe(200)
      // What GET gives later is what PUT answered, and both have all that was sent.
      const read = await intake.send('GET', intake.answersPath(applicant))
      const kept = saved.body.answers as Record<string, unknown>
      if (read.status === 404) expect(kept).toEqual({})
      else expect(read.body.answers).toEqual(kept)
      expectKept(answers, kept, '')
      for (const answer of Object.values(kept)) if (hasText(answer)) reported++
      const submitted = await intake.submit(applicant)
      if (submitted.status === 400) return
      expect(submitted.status).toBe(201)
      submissions.set(submitted.body.application_id as number, kept)
    }),
    { numRuns: 150 },
  )
  expect([...seen].sort()).toEqual([200, 400])
  expect(reported).toBeGreaterThan(0)
  expect(submissions.size).toBeGreaterThan(0)
  for (const { application_id, application } of await intake.exported()) {
    const kept = submissions.get(application_id)
    if (kept === undefined) continue
    for (const [key, answer] of Object.entries(kept)) expect(application[key]).toEqual(answer)
    submissions.delete(application_id)
  }
  expect(submissions.size).toBe(0)
})

/** Fails unless everything that says something in what was sent is in what was kept, at the same place and unchanged. */
function expectKept(sent: unknown, kept: unknown, place: string): void {
  if (sent === null || sent === '') expect([place, kept ?? null]).toEqual([place, null])
  else if (typeof sent !== 'object') expect([place, kept]).toEqual([place, sent])
  else if (Array.isArray(sent) && sent.length > 0) {
    expect([place, Array.isArray(kept) && kept.length]).toEqual([place, sent.length])
    for (const [i, item] of sent.entries()) expectKept(item, (kept as unknown[])[i], `${place}/${i}`)
  } else
    for (const [key, value] of Object.entries(sent))
      expectKept(value, (kept as Record<string, unknown> | undefined)?.[key], `${place}/${key}`)
}

/** Whether an answer has more than its type. */
const hasText = (answer: unknown): boolean =>
  Object.entries(answer as object).some(([field, value]) => field !== 'question_type' && value !== null)

test('no bytes cause a 500', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.string({ unit: 'binary' }).map(text => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, async body => {
      const paths = [
        ['POST', 'applicants'],
        ['PUT', intake.answersPath(1)],
        ['POST', 'programs/housing-aid/applicants/1/submissions'],
      ] as const
      for (const [method, path] of paths) {
        const { status } = await intake.send(method, path, new Uint8Array(body), { 'Idempotency-Key': 'k' })
        expect([400, 404, 415]).toContain(status)
      }
    }),
    { numRuns: 60 },
  )
})
