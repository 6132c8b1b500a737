// Contract D20, from publication to export: whatever programs are published, whatever is submitted to them and when, every
// exported object has exactly the keys of every question ever published, at every depth. What is expected is worked out here
// from the definitions alone.

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { noEntityEnd, renderMembers } from '../../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { type QuestionKind, questionKinds } from '../../../src/domain/questions/question.ts'
import { seededRandom } from '../../../src/domain/random/seeded-random.ts'
import { answerSampler } from '../../../src/domain/samples/sample-answers.ts'
import { ExportClient } from '../../support/export-client.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, ofKind, type QuestionSpec, q } from '../../support/programs.ts'

const database = await useDatabase()
const service = await useService(database)

/** What the specification says of each kind: most are exported under their own name, a STATIC one not at all. */
const exportedAs = (kind: QuestionKind): string | undefined => {
  if (kind === 'STATIC') return undefined
  if (kind === 'CHECKBOX') return 'MULTI_SELECT'
  return kind === 'DROPDOWN' || kind === 'RADIO' ? 'SINGLE_SELECT' : kind
}

/** Question key → exported type, and the same of what is repeated under it. */
interface Expected extends Map<string, { type: string; repeated: Expected }> {}

/** Adds the questions of a version that is being published. */
function grow(expected: Expected, specs: readonly QuestionSpec[]): void {
  for (const { question, repeated } of specs) {
    const type = exportedAs(question.kind)
    if (type === undefined) continue
    // The names here are letters and spaces before a number sign, so the key is known without the code that derives it.
    const key = question.admin_name.split('#')[0]!.replaceAll(' ', '_')
    const node = expected.get(key) ?? { type, repeated: new Map() }
    expected.set(key, node)
    grow(node.repeated, repeated)
  }
}

type Exported = Record<string, { question_type: string; entities?: Record<string, unknown>[] }>

function expectKeys(exported: Exported, expected: Expected, also: string[] = []): void {
  expect(Object.keys(exported).sort()).toEqual([...expected.keys(), ...also].sort())
  for (const [key, { type, repeated }] of expected) {
    const question = exported[key]!
    expect(question.question_type).toBe(type)
    for (const entity of question.entities ?? []) expectKeys(entity as Exported, repeated, ['entity_name'])
  }
}

interface BankQuestion {
  kind: QuestionKind
  name: string
  parent: number | undefined
}

let banks = 0
let programs = 0

/** A bank of questions, each under a random enumerator before it or under none; several keys are alike under other enumerators. */
const bank: fc.Arbitrary<BankQuestion[]> = fc
  .array(fc.record({ kind: fc.constantFrom(...questionKinds, 'ENUMERATOR', 'ENUMERATOR'), parent: fc.nat() }), {
    minLength: 2,
    maxLength: 14,
  })
  .map(specs => {
    const run = letters(++banks)
    const questions: BankQuestion[] = []
    const siblings = new Map<number | undefined, number>()
    for (const [i, { kind, parent }] of specs.entries()) {
      const enumerators = questions.flatMap((question, at) => (question.kind === 'ENUMERATOR' ? [at] : []))
      const above = i === 0 ? undefined : [undefined, ...enumerators][parent % (enumerators.length + 1)]
      const place = siblings.get(above) ?? 0
      siblings.set(above, place + 1)
      const inner = ['  proto  ', 'constructor', 'entity', 'length'][place] ?? `inner ${letters(place)}`
      questions.push({
        kind,
        name: `${above === undefined ? `${run} ${letters(i)}` : inner}#${banks}.${i}`,
        parent: above,
      })
    }
    return questions
  })

function letters(number: number): string {
  return String(number).replace(/[0-9]/g, digit => 'abcdefghij'[Number(digit)]!)
}

/** The tree of those questions of a bank that are chosen and whose enumerators are. */
function chosen(questions: readonly BankQuestion[], isChosen: readonly boolean[], parent?: number): QuestionSpec[] {
  return questions.flatMap(({ kind, name, parent: above }, at) => {
    if (above !== parent || !(isChosen[at % isChosen.length] || at === 0)) return []
    const repeated = kind === 'ENUMERATOR' ? chosen(questions, isChosen, at) : []
    return [ofKind(kind, name, kind === 'STATIC' ? {} : { optional: true }, repeated)]
  })
}

test('"every exported object has exactly its key map\'s keys at every depth, also after questions were added to and removed from a program and its enumerators"', async () => {
  let enumerated = 0
  await fc.assert(
    fc.asyncProperty(
      bank,
      fc.array(fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }), { minLength: 2, maxLength: 4 }),
      fc.array(fc.boolean(), { minLength: 14, maxLength: 14 }),
      fc.nat(),
      async (questions, versions, drafted, seed) => {
        const slug = `any-${++programs}`
        const next = seededRandom(seed)
        const expected: Expected = new Map()
        const sent = new Map<number, unknown>()
        const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
        const frontEnd = new FrontEnd(service, key, slug)
        const exported = async () => {
          const all = await new ExportClient(service, key, slug).walkAll({ pageSize: '3' })
          expect(all.map(a => a.application_id)).toEqual([...sent.keys()])
          for (const { application_id, application } of all) {
            expectKeys(application as Exported, expected)
            expect(application).toMatchObject(sent.get(application_id) as object)
          }
          enumerated += all.flatMap(a => Object.values(a.application)).filter(one => 'entities' in one).length
        }
        for (const isChosen of versions) {
          const specs = chosen(questions, isChosen)
          const { version } = await aProgram(database.sql, { slug, questions: specs })
          grow(expected, specs)
          const shape = buildKeyMap([version])
          const sample = answerSampler(version)
          for (let i = 0; i < 2; i++) {
            const answers = JSON.parse(`{${renderMembers(shape, sample(next), noEntityEnd)}}`)
            const applicant = await frontEnd.register()
            try {
              sent.set((await frontEnd.apply(applicant, answers)).application_id, answers)
            } catch (error) {
              // Nothing was answered, so there is nothing to submit.
              if (!/answered 409/.test(String(error))) throw error
            }
          }
          // What is between the first and the last of some is the last of others.
          if (isChosen === versions[0]) await exported()
        }
        // A draft is in none of it (D21).
        await aDraft(database.sql, {
          slug,
          questions: [...chosen(questions, drafted), q.text(`${letters(programs)} drafted`)],
        })
        await exported()
      },
    ),
    { numRuns: 10 },
  )
  expect(enumerated).toBeGreaterThan(15)
}, 60_000)

test('"`__proto__` and its like as keys in answers … stored and returned exactly": question keys that every object inherits', async () => {
  // Two spaces, the word, two spaces: nothing is trimmed (D15).
  const names = ['  proto  ', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', 'valueOf']
  const keys = ['__proto__', ...names.slice(1)]
  const repeated = names.map(name => q.text(`${name}#`, { optional: true }))
  const questions = [
    ...names.map(name => q.text(name, { optional: true })),
    q.enumerator('prototype', repeated, { optional: true }),
  ]
  const slug = 'inherited'
  await aProgram(database.sql, { slug, questions })
  const key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
  const [frontEnd, client] = [new FrontEnd(service, key, slug), new ExportClient(service, key, slug)]
  const members = keys.map(name => `${JSON.stringify(name)}:{"text":"the answer to ${name}"}`).join(',')
  const answers = JSON.parse(
    `{${members},"prototype":{"entities":[{"entity_name":"__proto__",${members}},{"entity_name":"constructor"}]}}`,
  )
  await frontEnd.apply(await frontEnd.register(), answers)
  await frontEnd.apply(await frontEnd.register(), Object.fromEntries([['then', { text: 'this alone' }]]))
  // A version without them, so that they are filled in as well as stored.
  await aProgram(database.sql, { slug, questions: [q.text('another one', { optional: true })] })
  await frontEnd.apply(await frontEnd.register(), { another_one: { text: 'x' } })

  const text = (value: string | null) => ({ question_type: 'TEXT', text: value })
  const all = (value: (key: string) => string | null) => Object.fromEntries(keys.map(name => [name, text(value(name))]))
  const [full, alone, later] = (await client.walkAll()).map(a => a.application)
  const answered = all(name => `the answer to ${name}`)
  expect(full).toEqual({
    ...answered,
    another_one: text(null),
    prototype: {
      question_type: 'ENUMERATOR',
      entities: [
        Object.fromEntries([['entity_name', '__proto__'], ...Object.entries(answered)]),
        Object.fromEntries([['entity_name', 'constructor'], ...Object.entries(all(() => null))]),
      ],
    },
  })
  for (const [application, value] of [
    [alone, (name: string) => (name === 'then' ? 'this alone' : null)],
    [later, () => null],
  ] as const) {
    expect(Object.keys(application!).sort()).toEqual([...keys, 'another_one', 'prototype'].sort())
    for (const name of keys)
      expect(Object.getOwnPropertyDescriptor(application!, name)?.value).toEqual(text(value(name)))
  }

  const docs = await service.get(`/docs/api/programs/${slug}`, {
    headers: { Authorization: key.authorization, Accept: 'application/json' },
  })
  const shown = await docs.text()
  expect(docs.status).toBe(200)
  for (const name of keys) expect(shown).toContain(`"application.${name}"`)
})
