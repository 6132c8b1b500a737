import { describe, expect, test } from 'bun:test'
import { exportLines } from '../support/export-lines.ts'
import { useDatabase } from '../support/fixtures.ts'
import { runScript } from './run-script.ts'

const slug = 'utility-assistance'
const database = await useDatabase()
expect(await runScript('seed', database.url, ['--applications', '5', '--program', slug])).toMatchObject({ code: 0 })

const application = (...args: string[]) => runScript('annotate-application', database.url, args)
const exported = async (id: number) =>
  JSON.parse((await exportLines(database.sql, slug)).find(line => line.includes(`"application_id":${id},`))!)

describe('scripts/application', () => {
  test('status gives a status and a note, takes them away, and shows what holds now', async () => {
    const { code, out, err } = await application(
      'status',
      slug,
      '2',
      'More information needed',
      '--note',
      'Which "account"?',
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Status: +More information needed, since 20\d\d-/m)
    expect(await exported(2)).toMatchObject({ status: 'More information needed', application_note: 'Which "account"?' })
    await application('status', slug, '2', '--none')
    expect(await exported(2)).toMatchObject({ status: null, application_note: 'Which "account"?' })
    await application('note', slug, '2', '--none')
    expect(await exported(2)).toMatchObject({ application_note: null })
    const [event] = await database.sql<{ actor: string }[]>`
      select actor from audit_event where action = 'application_annotated' order by audit_event_id limit 1`
    expect(event!.actor).toMatch(/^operator:/)
  })

  test('show prints the history, and no answers', async () => {
    await application('note', slug, '3', 'first')
    await application('note', slug, '3', 'second')
    const { code, out } = await application('show', slug, '3')
    expect(code).toBe(0)
    const { applicant_id, revision_state } = await exported(3)
    expect(out).toStartWith(`Application 3 of applicant ${applicant_id}, ${revision_state}\n`)
    expect(out.indexOf('first')).toBeLessThan(out.lastIndexOf('second'))
    expect(out).not.toContain('question_type')
  })

  test('an empty note is refused, and the one there is stays: --none takes it away', async () => {
    await application('note', slug, '4', 'kept')
    for (const args of [
      ['note', slug, '4', ''],
      ['note', slug, '4', ' \n'],
      ['status', slug, '4', 'Approved', '--note', ''],
    ])
      expect(await application(...args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(`scripts/application note ${slug} 4 --none takes one away`),
      })
    expect(await exported(4)).toMatchObject({ application_note: 'kept' })
  })

  test('what cannot be is said in one sentence, and nothing is changed', async () => {
    expect(await application('status', slug, '2', 'approved')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('they are "Received", "In review", "More information needed", "Approved", "Denied"'),
    })
    expect(await application('show', 'nowhere', '2')).toMatchObject({
      code: 1,
      err: 'There is no program "nowhere".\n',
    })
    expect(await application('show', slug, '99')).toMatchObject({ code: 1 })
    const usages = [
      [],
      ['erase', slug, '2'],
      ['show', slug],
      ['show', slug, 'two'],
      ['status', slug, '2'],
      ['status', slug, '2', 'Approved', '--none'],
      ['note', slug, '2', 'two', 'words'],
      ['show', slug, '2', '--note', 'x'],
    ]
    for (const args of usages) expect([args, await application(...args)]).toMatchObject([args, { code: 2, out: '' }])
    expect((await application('--help')).out).toMatch(/^Usage:/)
  })
})
