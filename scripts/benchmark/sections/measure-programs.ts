// How everything fares with ten thousand programs, next to one program that has half as many applications as all of these together:
// without partitions, and then with the same applications laid in partitions by program (scripts/migrate --partitions).
// In a database of its own, which is gone afterwards.

import type { Sql } from '../../../src/db/client.ts'
import { partitionApplications } from '../../../src/db/migrate.ts'
import { findActiveVersion } from '../../../src/db/programs.ts'
import { renderSnapshot } from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { publishDefinition } from '../../../src/programs/publish.ts'
import type { BenchContext } from '../bench-context.ts'
import { prepareEmpty, timeZone } from '../bench-data.ts'
import { addApplications, makeBarePrograms, placeholders, withoutKeys, withoutWaitingForDisk } from '../bench-sizes.ts'
import { settleTables } from '../bench-statements.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import { type Figures, measureLayout, type WordsProgram } from '../program-layouts.ts'
import { timed } from '../rounds.ts'
import { makePrograms } from './measure-submissions.ts'

const programs = 10_000
const sizes = {
  small: { each: 20, large: 100_000, loaded: 10_000, exported: 20_000 },
  full: { each: 1000, large: 5_000_000, loaded: 100_000, exported: 100_000 },
}
const partitionsUsual = 64
export async function measurePrograms(context: BenchContext): Promise<SectionReport> {
  const { database, interruption, options, say } = context
  const size = options.small ? sizes.small : sizes.full
  const partitions = options.partitions || partitionsUsual
  return database.scratch('empty', async scratch => {
    const { sql } = scratch
    await prepareEmpty(sql, { partitions: 0 })
    const many = await makeBarePrograms(sql, 'many', programs)
    const large = await publishWords(sql, 'large')
    const newcomers = [await publishWords(sql, 'newcomer'), await publishWords(sql, 'latecomer')]
    const origin = (await findActiveVersion(database.sql, context.data.program.program_id))!
    const drawing = await makePrograms(sql, origin, 'drawing')
    const all = programs * size.each + size.large
    say(`Making ${programs.toLocaleString('en')} programs and ${all.toLocaleString('en')} applications …`)
    const made = await timed(() =>
      withoutWaitingForDisk(sql, () =>
        withoutKeys(sql, async tx => {
          await addApplications(tx, many, size.each, 'x'.repeat(400))
          await addApplications(tx, [large.program_id], size.large, large.snapshot)
        }),
      ),
    )
    say(`… in ${digits(made / 1000)} s`)
    const subjects = { many: many[programs / 2]!, large: large.program_id, drawing }
    const layouts: Figures[] = []
    for (const own of newcomers) {
      const figures: Figures = {}
      if (layouts.length > 0) {
        say(`Laying them in ${partitions} partitions …`)
        figures['laying them in partitions, s'] = (await timed(() => partitionApplications(sql, partitions))) / 1000
      }
      layouts.push(figures)
      try {
        await settleTables(sql)
        await measureLayout(context, scratch, subjects, size, own, figures)
      } catch (error) {
        if (!interruption.aborted) throw error
        break
      }
    }
    const [plain = {}, laid = {}] = layouts
    const against = (name: string): number => laid[name]! / plain[name]!
    const findings = [
      atMost(
        1.5,
        'start of a walk in the large program against one of many',
        plain['large: start']! / plain['many: start']!,
      ),
      atMost(1.3, 'last page of 1,000 against the first', plain['large: last page']! / plain['large: first page']!),
      // Of one of many: in the large one some are erased in between, and a start looks then for more.
      atMost(1.5, 'start of a walk in partitions against none', against('many: start')),
      atMost(1.15, 'page of 1,000 in partitions against none', against('large: middle page')),
      atMost(1.2, 'publishing in partitions against none', against('publishing')),
      atMost(1.2, 'erasing one in partitions against none', against('erasing one')),
    ]
    const names = [...new Set([...Object.keys(plain), ...Object.keys(laid)])]
    return {
      findings: findings.filter(({ measured }) => !Number.isNaN(measured)),
      tables: [
        {
          title: `${programs.toLocaleString('en')} programs of ${size.each.toLocaleString('en')}, and one of ${size.large.toLocaleString('en')}; ms of PostgreSQL’s processor unless it says otherwise`,
          head: ['', 'no partitions', `${partitions} partitions`],
          rows: names.map(name => [name, digits(plain[name] ?? Number.NaN), digits(laid[name] ?? Number.NaN)]),
        },
      ],
      raw: { plain, laid, made },
    }
  })
}

/** A program with one question, which no other program asks. */
async function publishWords(sql: Sql, slug: string): Promise<WordsProgram> {
  const admin_name = `words of ${slug}`
  const definition = {
    slug,
    display_name: slug,
    statuses: [],
    questions: [{ admin_name, kind: 'TEXT' as const, text: 'What is it?' }],
    screens: [{ name: 'All', questions: [{ question: admin_name }] }],
  }
  const { program_id } = await publishDefinition(sql, definition, 'operator:bench')
  const version = (await findActiveVersion(sql, program_id))!
  const shape = buildKeyMap([version])
  const { program_version_id } = version
  const question_key = shape[0]!.question_key
  const micros = Date.parse('2020-01-01T00:00:00Z') * 1000
  const snapshot = renderSnapshot(
    {
      applicant_id: placeholders.applicant,
      application_id: placeholders.application,
      create_time: micros,
      submit_time: micros,
      language: 'en-US',
      program_name: slug,
      program_version_id,
      submitter: { submitter_type: 'APPLICANT' },
      answers: new Map([[question_key, { type: 'TEXT', text: 'x'.repeat(60) }]]),
    },
    shape,
    timeZone,
  )
  return { slug, program_id, program_version_id, question_key, snapshot }
}
