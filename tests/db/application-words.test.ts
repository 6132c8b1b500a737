// That people are found by the same words whoever computes them: the service from what it picks out of an application, or the database from all of
// it. And that each application has its words, once, for as long as it is there.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { eraseApplication } from '../../src/core/applications/erase.ts'
import { openDatabase, readValue, type Sql } from '../../src/db/client.ts'
import type { Answer, Answers } from '../../src/domain/questions/answers.ts'
import { renderSnapshot } from '../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { searchedTexts } from '../../src/domain/questions/searched-texts.ts'
import { endWithTest, useDatabase, useIntake, usePool } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { lines, load, reasonProgram } from '../support/load-input.ts'
import { aProgram, q } from '../support/programs.ts'
import { insertRawApplications, insertRawProgram, multiplyApplications } from '../support/raw-applications.ts'

const database = await useDatabase()
const { sql } = database
const optional = { optional: true }
const repeated = [q.name('w called', optional), q.email('w their mail', optional), q.phone('w their phone', optional)]
const questions = [
  q.enumerator('w first', [...repeated, q.enumerator('w within', [q.name('w inner', optional)], optional)], optional),
  q.name('w spouse', optional),
  q.text('w said', optional),
  q.name('w own', optional),
  q.email('w mail', optional),
  q.phone('w phone', optional),
]
const { program_id, version } = await aProgram(sql, { slug: 'worded', questions })
const shape = buildKeyMap([version])

const snapshotOf = (answers: Answers): string =>
  renderSnapshot(
    {
      applicant_id: 1,
      application_id: 2,
      create_time: 1_700_000_000_000_000,
      submit_time: 1_700_000_000_000_000,
      language: 'en-US',
      program_name: 'worded',
      program_version_id: 3,
      submitter: { submitter_type: 'APPLICANT' },
      answers,
    },
    shape,
    'UTC',
  )

/** Signs at which locales, versions of Unicode and JSON may differ, with some that only look alike. */
const hostile = [
  ...'aZiIİıſKkéÉñøØłßẞÅÇşŠœÆǅŉ',
  ...['e\u0301', 'A\u030a\u0327', '\u0301', '\u034f', 'i\u0307', '\u0344', 'ﬁ', 'Ｊｏｅ', '½', 'ª', '´', '¨'],
  ...'ΣσςΑάᾳͺЖйЁіԳև',
  ...['ش', 'آ', 'ا\u064e', 'ט', 'ﭏ', 'ሰላም', '፡', 'क्षि', 'ก็', 'ພ', 'ခ', 'བོད', 'ខ្មែរ'],
  ...['李', '小龍', '張', '・', '·', 'ー', '々', 'ヴ', 'ｶﾞ', '김', '\u1100\u1161', '豈', '𠮷', '㍿', '㈱'],
  ...[
    '👩‍👧',
    '\u200b',
    '\u00ad',
    '\u061c',
    '\u2066',
    '\ufeff',
    '\uff0d',
    '\u00a0',
    '\u3000',
    '\u2003',
    '\u2028',
    '\u0085',
    '\u1680',
  ],
  ...['\0', '\u0001', '\u0002', '\u001f', '\u007f', '\n', '\t', '\\', '"', '\\"', '\ud800', '\udc00'],
  ...[' ', '  ', '-', "'", '’', '–', '.', '@', '+1 (907) 555-0189', '٣', '１２', '|', '\\0'],
  ...[
    '"question_type":"NAME","first_name":"Eve"',
    '{"entity_name":',
    'maria.lopez@example.org',
    'Nuñez',
    'x'.repeat(61),
    '李'.repeat(70),
  ],
]
const aText = fc
  .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hostile) }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 6,
  })
  .map(parts => parts.join(''))
const plainText = fc.constantFrom('Maria', 'José', 'O’Brien-Łuk', 'Ива́н', '', ' ', '--')
const someText = fc.oneof(aText, plainText)
const aName: fc.Arbitrary<Answer> = fc.record({
  type: fc.constant('NAME' as const),
  first_name: someText,
  middle_name: fc.option(someText) as fc.Arbitrary<string | null>,
  last_name: someText,
  suffix: fc.constant(null),
})
const anEmail: fc.Arbitrary<Answer> = someText.map(email => ({ type: 'EMAIL', email }))
const aPhone: fc.Arbitrary<Answer> = fc
  .oneof(fc.constantFrom('+19075550189', '(907) 555-0189', ''), someText)
  .map(phone_number => ({ type: 'PHONE', phone_number }))
/** Some of these are answered. */
const answersOf = (members: Record<string, fc.Arbitrary<Answer>>): fc.Arbitrary<Answers> =>
  fc.record(members, { requiredKeys: [] }).map(given => new Map(Object.entries(given) as [string, Answer][]))
const listOf = (answers: fc.Arbitrary<Answers>): fc.Arbitrary<Answer> =>
  fc
    .array(fc.record({ entity_name: someText, answers }), { maxLength: 2 })
    .map(entities => ({ type: 'ENUMERATOR', entities }))
const someAnswers = answersOf({
  w_first: listOf(
    answersOf({
      w_called: aName,
      w_their_mail: anEmail,
      w_their_phone: aPhone,
      w_within: listOf(answersOf({ w_inner: aName })),
    }),
  ),
  w_spouse: aName,
  w_said: someText.map(text => ({ type: 'TEXT', text })),
  w_own: aName,
  w_mail: anEmail,
  w_phone: aPhone,
})

/** Snapshots whose words the two make differently, and of how many the service leaves none to the database. */
async function compared(db: Sql, snapshots: readonly string[]) {
  const searched = snapshots.map(snapshot => searchedTexts(program_id, snapshot) ?? null)
  const different = await db`
    select snapshot, applicant_words(${program_id}, snapshot)::text as whole, searched_words(${program_id}, searched)::text as picked
    from unnest(${snapshots as string[]}::text[], ${searched as string[]}::text[]) as given (snapshot, searched)
    where searched_words(${program_id}, searched) <> applicant_words(${program_id}, snapshot)
    limit 3`
  return { different: [...different], picked: searched.filter(texts => texts !== null).length }
}

const functions = [
  'search_form',
  'answer_member',
  'unspaced_words',
  'applicant_words',
  'words_of_names',
  'searched_words',
]
/** A database of its own with the functions, and another idea of letters. */
async function inLocale(provider: string): Promise<Sql | undefined> {
  const name = `words_${provider.toLowerCase().replaceAll(/\W/g, '_')}`
  await sql`drop database if exists ${sql(name)}`
  const [kind, locale] = provider.split(' ')
  const options = kind === 'icu' ? `locale_provider icu icu_locale '${locale}'` : `locale_provider ${kind} locale 'C'`
  await sql.unsafe(`create database ${name} template template0 encoding utf8 ${options}`)
  const other = openDatabase({
    url: Object.assign(new URL(database.url), { pathname: `/${name}` }).href,
    connectionsMax: 1,
  })
  endWithTest(async () => {
    await other.end()
    await sql`drop database ${sql(name)}`
  })
  for (const name of functions) {
    const [row] = await sql<{ text: string }[]>`select pg_get_functiondef(${name}::regproc) as text`
    await other.unsafe(row!.text)
  }
  return other
}

describe('the words of an application are the same whether computed from the searched texts or from its snapshot', () => {
  const seed = Date.now() % 2 ** 31
  const snapshots = fc.sample(someAnswers, { numRuns: 1500, seed }).map(snapshotOf)

  test(`in the locale of the database (seed ${seed})`, async () => {
    const { different, picked } = await compared(sql, snapshots)
    expect(different).toEqual([])
    expect(picked).toBeGreaterThan(snapshots.length / 10)
  })

  test.each(['libc', 'icu und', 'icu tr-TR', 'icu lt-LT', 'icu el-GR'])(
    `in a database of %s (seed ${seed})`,
    async provider => {
      const other = await inLocale(provider)
      expect((await compared(other!, snapshots)).different).toEqual([])
    },
  )
})

describe('every application has its words exactly once for as long as it exists', () => {
  test('whether submitted, loaded, stored by an earlier release, changed or erased', async () => {
    const { database, service, key, program } = await useIntake([q.name('i own'), q.email('i mail', optional)])
    const frontEnd = new FrontEnd(service, key, program.slug)
    const db = usePool({ url: database.url, connectionsMax: 1 })
    /** How many applications have their words, none other, and no words are of none. */
    const worded = async (): Promise<number> => {
      const rows = await db<{ is_right: boolean | null }[]>`
        select w.words = applicant_words(a.program_id, a.snapshot) as is_right
        from application a
        full join application_words w using (program_id, submit_time, submit_seq)`
      expect(rows.filter(row => !row.is_right)).toEqual([])
      return rows.length
    }
    const found = async (words: string) =>
      (await db`select from application_words where words::text like ${words}`).count
    const ids: number[] = []
    for (const [first_name, last_name] of [
      ['Maria', 'López'],
      ['小龍', '李'],
      ['-', '-'],
    ]) {
      const answers = { i_own: { first_name, last_name }, i_mail: { email: 'Ä@b.c' } }
      ids.push((await frontEnd.apply(await frontEnd.register(), answers)).application_id)
    }
    const loaded = await reasonProgram(db)
    await load(database.sql, lines(loaded, { id: 900_001 }, { id: 900_002 }))
    expect(await worded()).toBe(5)
    await multiplyApplications(db, 2)
    expect(await worded()).toBe(15)

    await db.begin(async tx => {
      await tx`alter table application disable trigger application_snapshot_is_immutable`
      await tx`update application set followed = true, snapshot = replace(snapshot, 'López', 'García')`
      await tx`alter table application enable trigger application_snapshot_is_immutable`
    })
    expect(await worded()).toBe(15)
    expect([await found('%=lopez%'), await found('%=garcia%'), await found('%=小龍李%')]).toEqual([0, 3, 3])

    const [row] = await db<
      { program_id: number }[]
    >`select program_id from application where application_id = ${ids[0]!}`
    const order = { actor: 'operator:words', reason: 'asked for' }
    await eraseApplication(database.sql, { program_id: row!.program_id, application_id: ids[0]! }, order)
    expect(await worded()).toBe(14)
    await db`delete from application`
    expect((await db`select from application_words`).count).toBe(0)
  })
})

test('the migration writes the words of earlier applications in batches and continues after an interruption', async () => {
  const db = usePool({ url: (await useDatabase({}, endWithTest)).url, connectionsMax: 1 })
  const program = await insertRawProgram(db, 'earlier')
  await insertRawApplications(db, program, 25)
  const before = await db`select * from application_words order by submit_seq`
  await db`delete from application_words where submit_seq <> 7`
  const fill = (after: string) => readValue<string | null>(db)`select fill_application_words(${after}::bigint[], 10)`
  const filled = async () => (await db`select from application_words`).count
  expect([await fill('{}'), await filled()]).toEqual([`{${program.program_id},10}`, 10])
  for (let after: string | null = '{}'; after !== null; ) after = await fill(after)
  expect(await db`select * from application_words order by submit_seq`).toEqual(before)
})
