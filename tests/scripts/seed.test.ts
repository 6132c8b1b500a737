import { describe, expect, test } from 'bun:test'
import { childCareSubsidy } from '../../scripts/seed-program/child-care-subsidy.ts'
import { seedPrograms } from '../../scripts/seed-program/seed-programs.ts'
import { utilityAssistance } from '../../scripts/seed-program/utility-assistance.ts'
import { definitionsOf } from '../../scripts/seed-program/versioned-definition.ts'
import { readPublishedVersions } from '../../src/db/programs/programs.ts'
import { untranslatedTexts } from '../../src/domain/languages/program-texts.ts'
import { noEntityEnd, renderMembers } from '../../src/domain/questions/answers.ts'
import { buildKeyMap } from '../../src/domain/questions/key-map.ts'
import { questionKinds } from '../../src/domain/questions/question.ts'
import { organizations } from '../../src/domain/random/sample-words.ts'
import { seededRandom } from '../../src/domain/random/seeded-random.ts'
import { applicationChanges } from '../../src/domain/readable/application-changes.ts'
import type { ExportedObject } from '../../src/domain/readable/exported-answers.ts'
import { answerSampler } from '../../src/domain/samples/sample-answers.ts'
import { answersOf } from '../core/intake/checking/checking.ts'
import { exportLines } from '../support/export-lines.ts'
import { endWithTest, useDatabase } from '../support/fixtures.ts'
import { runScript } from './run-script.ts'

const slug = 'utility-assistance'
const applications = 1500
const now = '2026-01-31T00:00:00Z'
const database = await useDatabase()
const args = ['--applications', String(applications), '--now', now]
expect(await runScript('seed', database.url, args)).toMatchObject({ code: 0, err: '' })
const lines = await exportLines(database.sql, slug)

interface Exported {
  applicant_id: number
  submit_time: string
  revision_state: string
  submitter_type: string
  status: string | null
  application_note: string | null
  program_version_id: number
}
const parsed = (): Exported[] => lines.map(line => JSON.parse(line))
const share = (of: (application: Exported) => boolean): number => parsed().filter(of).length / applications

describe('the demo program', () => {
  test('has applications with bills as answers to the question about bills', () => {
    const files = lines.flatMap(line => JSON.parse(line).application.latest_bills?.file_urls ?? [])
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter((url: string) => !url.includes('-bill.'))).toEqual([])
  })

  test('has every kind of question, and one within nested lists', async () => {
    const versions = await readPublishedVersions(database.sql, 1)
    expect(versions).toHaveLength(3)
    const kinds = new Set(versions.flatMap(version => version.questions.map(question => question.kind)))
    expect([...kinds].sort()).toEqual([...questionKinds].sort())
    const [, second, third] = versions
    const byId = new Map(third!.questions.map(question => [question.question_id, question]))
    const isNestedTwice = third!.questions.some(
      question => question.enumerator_id !== null && byId.get(question.enumerator_id)!.enumerator_id !== null,
    )
    expect(isNestedTwice).toBe(true)
    expect(second!.questions.length).toBeGreaterThan(25)
  })

  test('has versions that add questions at every depth, remove a question, and retire an option', async () => {
    const [first, second, third] = (await readPublishedVersions(database.sql, 1)).map(version => {
      const names = new Map(version.questions.map(question => [question.admin_name, question]))
      return { names, version }
    })
    const added = [...third!.names.values()].filter(question => !first!.names.has(question.admin_name))
    const depth = (name: string): number => {
      const { enumerator_id } = third!.names.get(name)!
      const above = third!.version.questions.find(question => question.question_id === enumerator_id)
      return above === undefined ? 0 : 1 + depth(above.admin_name)
    }
    expect(new Set(added.map(question => depth(question.admin_name)))).toEqual(new Set([0, 1, 2]))
    expect([...second!.names.keys()].filter(name => !third!.names.has(name))).toHaveLength(1)
    const retired = [...second!.names.values()].filter(question => {
      const options = third!.names.get(question.admin_name)?.settings.options
      return options !== undefined && options.length < question.settings.options!.length
    })
    expect(retired).toHaveLength(1)
  })
})

describe('the demo applications', () => {
  test('by the same applicant to the same version differ in one to four answers, as counted by the console', async () => {
    const versions = new Map(
      (await readPublishedVersions(database.sql, 1)).map(version => [version.program_version_id, version]),
    )
    const last = new Map<number, { id: number; application: ExportedObject }>()
    const counts: number[] = []
    for (const line of lines) {
      const { applicant_id, program_version_id: id, application } = JSON.parse(line)
      const before = last.get(applicant_id)
      last.set(applicant_id, { id, application })
      if (before === undefined || before.id !== id) continue
      const version = versions.get(id)!
      counts.push(applicationChanges({ version, application }, { ...before, version }).changes.length)
    }
    expect(counts.filter(count => count < 1 || count > 4)).toEqual([])
    expect(counts.length).toBeGreaterThan(20)
  })

  test('are realistic: email addresses match their owners, jobs are at organizations, and nobody has two spouses', () => {
    const mails: string[] = []
    for (const line of lines) {
      const { application } = JSON.parse(line)
      const { first_name, last_name } = application.applicant_name
      const mail: string | null = application.email_address.email
      const latin = [first_name, last_name].map(name => name.toLowerCase())
      if (mail !== null && latin.every(name => /^[a-z]+$/.test(name))) {
        expect(mail).toStartWith(latin.join('.'))
        mails.push(mail)
      }
      const { entities } = application.household_members
      const selections = entities.map(
        (entity: { relationship: { selection: string } }) => entity.relationship.selection,
      )
      expect(selections.filter((selection: string) => selection === 'spouse').length).toBeLessThan(2)
      for (const { entity_name } of entities.flatMap(
        (entity: { jobs: { entities: object[] } }) => entity.jobs.entities,
      ))
        expect(entity_name).toMatch(new RegExp(`^(${organizations.map(RegExp.escape).join('|')})( \\d)?$`))
    }
    expect(mails.length).toBeGreaterThan(100)
  })

  test('have plausible dates: people move in after their birth, and children are younger and parents older than the applicant', () => {
    const yearOf = (answer: { date: string | null } | undefined) => Number(answer?.date?.slice(0, 4) ?? Number.NaN)
    const found = { movedIn: 0, child: 0, parent: 0 }
    for (const line of lines) {
      const { application } = JSON.parse(line)
      const born = yearOf(application.date_of_birth)
      const movedIn = yearOf(application.move_in_date)
      if (movedIn <= born) throw new Error(`moved in ${movedIn}, born ${born}`)
      if (movedIn > born) found.movedIn++
      for (const member of application.household_members.entities) {
        const years = yearOf(member.member_birth_date) - born
        const selection = member.relationship.selection as 'child' | 'parent'
        if (Number.isNaN(years) || !(selection in found)) continue
        expect(selection === 'child' ? years : -years).toBeWithin(16, 60)
        found[selection]++
      }
    }
    expect(Math.min(...Object.values(found))).toBeGreaterThan(100)
  })

  test('are the same for the same start time', async () => {
    const again = await useDatabase({}, endWithTest)
    const programs = [
      { slug, applications },
      { slug: 'child-care-subsidy', applications: applications / 10 },
    ]
    const options = { now: Date.parse(now) * 1000, timeZone: 'UTC', actor: 'operator:test' }
    const receipt = await seedPrograms(again.sql, { programs, ...options })
    expect(receipt).toEqual({ applications: 1650, programs, before: undefined })
    expect(await exportLines(again.sql, slug)).toEqual(lines)
  })

  test('are varied and about 3.7 KB each', () => {
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0) / applications
    expect(bytes).toBeGreaterThan(3500)
    expect(bytes).toBeLessThan(3900)
    expect(share(a => a.revision_state === 'OBSOLETE')).toBeWithin(0.09, 0.16)
    expect(share(a => a.submitter_type === 'TRUSTED_INTERMEDIARY')).toBeWithin(0.08, 0.16)
    expect(share(a => a.status !== null)).toBeWithin(0.5, 0.7)
    expect(share(a => a.application_note !== null)).toBeWithin(0.1, 0.2)
    expect(new Set(parsed().map(a => a.program_version_id)).size).toBe(3)
  })

  test('were submitted in the past year, in order, with at most one CURRENT application per applicant', () => {
    const times = parsed().map(a => Date.parse(a.submit_time))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)!).toBeLessThanOrEqual(Date.parse(now))
    expect(times[0]!).toBeGreaterThan(Date.parse('2025-01-30T00:00:00Z'))
    const current = parsed().filter(a => a.revision_state === 'CURRENT')
    expect(new Set(current.map(a => a.applicant_id)).size).toBe(current.length)
    expect(new Set(parsed().map(a => a.applicant_id)).size).toBe(current.length)
  })

  test('have answers that a submission would accept and store unchanged', async () => {
    for (const program_id of [1, 2]) {
      for (const version of await readPublishedVersions(database.sql, program_id)) {
        const shape = buildKeyMap([version])
        const make = answerSampler(version)
        const next = seededRandom(version.program_version_id)
        for (let i = 0; i < 150; i++) {
          const text = renderMembers(shape, make(next), noEntityEnd)
          const kept = answersOf(version, `{${text}}`, 'submit')
          expect(renderMembers(shape, kept, noEntityEnd)).toBe(text)
        }
      }
    }
  })
})

test('more applications can be added after the existing ones', async () => {
  const programs = [{ slug, applications: 20 }]
  await seedPrograms(database.sql, { programs, now: Date.now() * 1000, timeZone: 'UTC', actor: 'operator:test' })
  const after = await exportLines(database.sql, slug)
  expect(after).toHaveLength(applications + 20)
  expect(after.slice(0, applications)).toEqual(lines)
})

test('a --now before the last submission is reported in one sentence, before anything is created', async () => {
  const { code, out, err } = await runScript('seed', database.url, ['--applications', '100', '--now', '2025-06-30'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(/^.* utility-assistance .* 20.* --now.* \[too_early\]\n$/)
})

test('an unknown program is reported by name, and wrong usage exits with 2', async () => {
  const seed = (...args: string[]) => runScript('seed', database.url, args)
  expect(await seed('--program', 'nowhere')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^.* nowhere\b.* \[not_found\]\n$/),
  })
  for (const args of [
    ['--applications', '0'],
    ['--applications', 'x'],
    ['--now', 'soon'],
    ['--now', '9999-01-01'],
    ['--now', '2026-02-31'],
    ['--now', '2026-01-31T25:00:00Z'],
    ['--now', '1650-01-01'],
    ['x'],
  ])
    expect(await seed(...args)).toMatchObject({ code: 2, out: '' })
})

test('the demo is translated into Spanish and Arabic, except for names of places and benefits', () => {
  const names = ['Northgate', 'Central District', 'Delridge', 'Rainier Beach', 'SNAP', 'TANF', 'SSI', 'WIC']
  for (const definition of [utilityAssistance, childCareSubsidy].flatMap(definitionsOf))
    for (const language of definition.languages!)
      expect(untranslatedTexts(definition, language).filter(({ text }) => !names.includes(text))).toEqual([])
})
