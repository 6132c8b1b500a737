import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { programDefinitionJsonSchema } from '../../src/domain/definitions/program-definition.ts'
import { civiformFile } from '../support/civiform-file.ts'
import { endWithTest, useDatabase, useFolder } from '../support/fixtures.ts'
import { aDefinition, aProgram, type ProgramSpec, q, upToDate } from '../support/programs.ts'
import type { Ended } from '../support/run.ts'
import { runScript } from './run-script.ts'

const database = await useDatabase()
const folder = await useFolder()

const program = (args: string[], more: { url?: string; stdin?: string } = {}): Promise<Ended> =>
  runScript('program', more.url ?? database.url, args, more.stdin)

let files = 0
async function written(document: unknown): Promise<string> {
  const file = join(folder, `${++files}.json`)
  await Bun.write(file, typeof document === 'string' ? document : JSON.stringify(document))
  return file
}
const definition = async (spec: ProgramSpec): Promise<string> =>
  written(await upToDate(database.sql, aDefinition(spec), 'draft'))

describe('validate', () => {
  test('checks a document without a database', async () => {
    const file = await definition({ slug: 'v-good', questions: [q.text('v good')] })
    const nowhere = { url: 'postgres://127.0.0.1:1/nowhere' }
    expect(await program(['validate', file, '--document-only'], nowhere)).toMatchObject({
      code: 0,
      out: expect.stringContaining('"v-good" ') as string,
      err: '',
    })
    expect(await program(['validate', file], { url: '' })).toMatchObject({ code: 0, err: '' })
  })

  test('reports every error with its path and exits with 1', async () => {
    const file = await written({
      ...aDefinition({ questions: [q.text('123'), q.number('n', { min: 2, max: 1 })] }),
      slug: 'A B',
    })
    const { code, out, err } = await program(['validate', file], { url: '' })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n').map(line => line.trim().split(':')[0])).toEqual([
      expect.stringMatching(/\b3\b/),
      '/slug',
      '/questions/0/admin_name',
      '/questions/1/min',
      '',
    ])
  })

  test('checks a document against the question bank of a database', async () => {
    await aProgram(database.sql, { slug: 'v-bank', questions: [q.text('V taken')] })
    const file = await definition({ slug: 'v-clash', questions: [q.text('v taken!')] })
    expect(await program(['validate', file, '--document-only'])).toMatchObject({ code: 0 })
    const { code, err } = await program(['validate', file])
    expect(code).toBe(1)
    expect(err).toContain('"v taken!" and "V taken"')
  })

  test('reads standard input', async () => {
    const stdin = JSON.stringify(aDefinition({ slug: 'v-stdin' }))
    expect(await program(['validate', '-', '--document-only'], { stdin })).toMatchObject({ code: 0 })
  })
})

describe('publish', () => {
  test('prints the changes first, then the published version, and can move other programs', async () => {
    await aProgram(database.sql, { slug: 'p-other', questions: [q.text('p shared')] })
    const first = await program(['publish', await definition({ slug: 'p-one', questions: [q.text('p shared')] })])
    expect(first).toMatchObject({ code: 0, err: '' })
    // Against no version.
    expect(first.out).toMatch(/^.*"p-one"\D*:\n/)
    const changed = await definition({
      slug: 'p-one',
      questions: [q.text('p shared', { text: 'New' }), q.date('p day')],
    })
    const diff = await program(['diff', changed])
    const textChanged = expect.stringMatching(/^ {2}p shared: .*“New”.*“p shared\?”.* \[text_changed\]$/)
    expect(diff.out.split('\n')).toEqual([
      expect.stringMatching(/"p-one".* 1:$/),
      expect.stringMatching(/^ {2}p day: .*“p day\?”.* \[question_added\]$/),
      textChanged,
      expect.stringMatching(/"p-other".*:$/),
      textChanged,
      expect.stringContaining(' --move p-other,'),
      '',
    ])
    const reported = diff.out.split('\n').slice(0, 5)
    const unsaid = await program(['publish', changed])
    expect(unsaid).toMatchObject({ code: 1, out: `${reported.join('\n')}\n` })
    expect(unsaid.err).toContain(': p-other;')
    const second = await program(['publish', changed, '--move', 'p-other'])
    expect(second.out).toStartWith(reported.join('\n'))
    expect(second.out).toMatch(/ 2 .*"p-one".*"based_on": \d+\b.*\n.* 2 .*"p-other"/)
    const again = await program(['publish', changed])
    expect(again.out).toMatch(/"p-one".* 2:\n {2}[^\n[]+\n.* 2 .*"p-one"/)
  })

  test('refuses a document based on an outdated version, and shows what has changed since', async () => {
    await aProgram(database.sql, { slug: 'p-past', questions: [q.text('p past')] })
    const file = await definition({ slug: 'p-past', questions: [q.text('p past'), q.phone('p phone')] })
    await aProgram(database.sql, { slug: 'p-past', questions: [q.text('p past'), q.email('p mail')] })
    const { code, err } = await program(['publish', file])
    expect(code).toBe(1)
    expect(err).toContain('"p mail": Question added')
    expect(err).toContain('`scripts/program show p-past`')
  })

  test('refuses a document without based_on, and accepts the output of show', async () => {
    await aProgram(database.sql, { slug: 'p-bare', questions: [q.text('p bare')] })
    const file = await written(aDefinition({ slug: 'p-bare', questions: [q.text('p bare'), q.text('p more')] }))
    for (const command of ['publish', 'draft']) {
      const { code, err } = await program([command, file])
      expect(code).toBe(1)
      expect(err).toMatch(/ \/based_on: .* \[based_on_required\]/)
    }
    const shown = await program(['show', 'p-bare'])
    const edited = { ...JSON.parse(shown.out), display_name: 'Edited' }
    expect(await program(['publish', await written(edited)])).toMatchObject({ code: 0, err: '' })
  })

  test('records the operator in the audit log', async () => {
    await program(['publish', await definition({ slug: 'p-audit', questions: [q.text('p audit')] })])
    const [event] = await database.sql<{ actor: string }[]>`select actor from audit_event where subject = 'p-audit'`
    expect(event?.actor).toStartWith('operator:')
  })
})

describe('draft and show', () => {
  test('show the published version and the draft, ready for publishing elsewhere', async () => {
    const published = { slug: 's-one', questions: [q.radio('s pet', ['cat'], { optional: true })] }
    const { program_version_id } = await aProgram(database.sql, published)
    const drafted = { ...published, questions: [...published.questions, q.text('s new')] }
    await program(['draft', await definition(drafted)])
    expect(JSON.parse((await program(['show', 's-one'])).out)).toEqual({
      ...aDefinition(published),
      based_on: program_version_id,
    })
    const draft = JSON.parse((await program(['show', 's-one', '--draft'])).out)
    expect(draft).toEqual({ ...aDefinition(drafted), based_on: draft.based_on })
    expect(draft.based_on).toBeGreaterThan(program_version_id)
  })
})

describe('export and import', () => {
  test('carry a program into another database, whose export of it is byte-identical', async () => {
    await aProgram(database.sql, { slug: 'e-one', questions: [q.text('e one')] })
    await aProgram(database.sql, { slug: 'e-one', questions: [q.enumerator('e many', [q.text('e inner')])] })
    const there = await useDatabase({}, endWithTest)
    const exported = await program(['export', 'e-one'])
    expect(exported).toMatchObject({ code: 0, err: '' })
    const file = await written(exported.out)
    const imported = await program(['import', file], { url: there.url })
    expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('"e-one"') as string })
    expect((await program(['export', 'e-one'], { url: there.url })).out).toBe(exported.out)
    const twice = await program(['import', file], { url: there.url })
    expect(twice.code).toBe(1)
    expect(twice.err).toContain('[program_exists]')
  })

  test('need a choice for each conflict of a definition, and store nothing without it or with --preview', async () => {
    await aProgram(database.sql, { slug: 'i-one', questions: [q.phone('i phone'), q.number('i account')] })
    const file = await definition({
      slug: 'i-two',
      questions: [q.phone('i phone', { text: 'Call' }), q.id('i account')],
    })
    const shown = await program(['import', file, '--preview'])
    expect(shown).toMatchObject({ code: 0, err: '' })
    for (const option of ['--reuse "i phone"', '--change "i phone"', '--copy "i account='])
      expect(shown.out).toContain(option)
    const refused = await program(['import', file, '--reuse', 'i phone'])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('[choice_required]') as string })
    expect((await program(['show', 'i-two', '--draft'])).code).toBe(1)
    const chosen = ['--reuse', 'i phone', '--copy', 'i account=i second account']
    expect((await program(['import', file, ...chosen])).code).toBe(0)
    expect((await program(['show', 'i-two', '--draft'])).out).toContain('i second account')
    expect((await program(['import', file, '--reuse', 'i phone', '--change', 'i phone'])).code).toBe(2)
  })

  test('turn a CiviForm program into a draft', async () => {
    const file = await written(civiformFile('heating-help'))
    expect((await program(['import', file, '--slug', 'heating'])).code).toBe(0)
    expect((await program(['show', 'heating', '--draft'])).out).toContain('"es-US"')
  })
})

describe('translations', () => {
  test('are printed for translators, and a translated file is previewed and saved to the draft', async () => {
    await aProgram(database.sql, { slug: 't-one', questions: [q.text('t one', { text: 'Why?' })] })
    const printed = await program(['translations', 't-one', '--language', 'es'])
    expect(printed).toMatchObject({ code: 0, err: '' })
    const file = await written(printed.out.replace('"Why?",""', '"Why?","¿Por qué?"'))
    expect((await program(['translate', 't-one', file, '--preview'])).out).toContain('¿Por qué?')
    expect((await program(['show', 't-one', '--draft'])).code).toBe(1)
    expect((await program(['translate', 't-one', file])).code).toBe(0)
    expect((await program(['show', 't-one', '--draft'])).out).toContain('¿Por qué?')
    expect((await program(['translate', 't-one', await written('a,b')])).err).toContain('[no_columns]')
  })
})

describe('schema', () => {
  test('prints the schema without a database', async () => {
    expect(await program(['schema'], { url: '' })).toEqual({ code: 0, out: programDefinitionJsonSchema(), err: '' })
  })
})

describe('usage', () => {
  test.each([
    [[]],
    [['vanish']],
    [['toString']],
    [['publish']],
    [['publish', 'a', 'b']],
    [['publish', 'a', '--based-on', '1']],
    [['publish', 'a', '--move']],
    [['publish', 'a', '--move', 'b', '--move-all']],
    [['diff', 'a', '--move', 'b']],
    [['draft', 'a', 'b']],
    [['diff', 'a', '--bank']],
  ])('%j exits with 2', async args => {
    const { code, err } = await program(args)
    expect(code).toBe(2)
    expect(err.trim().split('\n')).toHaveLength(1)
  })
})
