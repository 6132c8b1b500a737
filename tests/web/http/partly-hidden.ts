// A program of three versions of which a key never sees the greater part. What is hidden has `zyxquavompel` in all that could give it away:
// admin name and key, text, options, screen, and answers.

import { annotate } from '../../../src/core/applications/annotate.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aDraft, aProgram, type ProgramSpec, q } from '../../support/programs.ts'

/** Long enough that no token has it by chance. */
export const mark = 'zyxquavompel'
export const slug = 'partly-hidden'
export const optional = { optional: true }
const pet = (inner: boolean) =>
  q.enumerator(
    'pet',
    [
      q.text('pet name', optional),
      q.text(`${mark} chip`, optional),
      q.enumerator('vet visit', [q.text('vet note', optional), q.number(`${mark} price`, optional)], optional),
      ...(inner ? [q.text(`${mark} pedigree`, optional)] : []),
    ],
    optional,
  )
const hiddenScreen = (text: string) => ({
  name: `About ${mark}`,
  questions: [
    q.enumerator(
      `${mark} roster`,
      [
        q.text(`${mark} roster note`, optional),
        q.enumerator(`${mark} deep`, [q.text(`${mark} deepest`, optional)], optional),
      ],
      { optional: true, text },
    ),
    q.static(`${mark} advice`, { text: `Think of ${mark}.` }),
  ],
})
const spec = (year: number): ProgramSpec => ({
  slug,
  screens: [
    {
      name: 'About you',
      questions: [
        q.text('plain words', { ...optional, text: `As of ${year}` }),
        q.text(`${mark} salary`, { ...optional, text: `Your ${mark} of ${year}?`, help: `The ${mark} one.` }),
        q.checkbox(`${mark} choice`, [`${mark}-one`, `${mark}-${year}`], optional),
        pet(year > 2024),
        q.text('asked on condition', {
          ...optional,
          ...(year === 2024
            ? {}
            : {
                visible_when: { question: `${mark} salary`, operator: 'equal', field: 'text', value: `${mark}${year}` },
              }),
        }),
        ...(year === 2025 ? [] : [q.number(`${mark} retired`, optional), q.number('retired too', optional)]),
      ],
    },
    hiddenScreen(`The ${mark} roster of ${year}?`),
  ],
})
const hiddenQuestions = [
  `${mark} salary`,
  `${mark} choice`,
  `${mark} chip`,
  `${mark} price`,
  `${mark} pedigree`,
  `${mark} retired`,
  `${mark} roster`,
  `${mark} advice`,
]

export const hostile = `"},"${mark}":{"question_type":"TEXT"}],"entities":[\\\u0001${'x'.repeat(60)}${mark}\\"`
const answers = (plain: string) => ({
  plain_words: { text: plain },
  zyxquavompel_salary: { text: hostile },
  zyxquavompel_choice: { selections: [`${mark}-one`] },
  pet: {
    entities: ['Rex', '"},{"entity_name":"'].map(entity_name => ({
      entity_name,
      pet_name: { text: plain },
      zyxquavompel_chip: { text: hostile },
      vet_visit: { entities: [{ entity_name: 'May', vet_note: { text: plain }, zyxquavompel_price: { number: 12 } }] },
    })),
  },
  zyxquavompel_roster: {
    entities: [
      {
        entity_name: hostile,
        zyxquavompel_roster_note: { text: hostile },
        zyxquavompel_deep: { entities: [{ entity_name: hostile, zyxquavompel_deepest: { text: hostile } }] },
      },
    ],
  },
})
export const applications = `/api/v1/admin/programs/${slug}/applications`

/** Until the file ends. */
export async function usePartlyHidden() {
  const database = await useDatabase()
  const { sql } = database
  const service = await useService(database)

  const { program_id } = await aProgram(sql, spec(2024))
  const submitter = await createTestKey(sql, { programs: [slug], maySubmit: true })
  const frontEnd = new FrontEnd(service, submitter, slug)
  const applicant = await frontEnd.register()
  const first = await frontEnd.apply(applicant, answers('the first'))
  await aProgram(sql, spec(2025))
  await frontEnd.apply(applicant, answers('a "quoted" one: }],"pet":{'))
  await frontEnd.apply(await frontEnd.register(), {})
  await annotate(sql, {
    program_id,
    application_id: first.application_id,
    status: 'Approved',
    note: 'Called.',
    actor: 'admin:test',
    now: 1_790_000_000_123_456,
    timeZone: service.config.timeZone,
  })
  await aDraft(sql, spec(2026))

  const whole = await createTestKey(sql, { programs: [slug], mayAnnotate: true })
  const redacted = await createTestKey(sql, { programs: [slug], mayAnnotate: true, hiddenQuestions })
  return { database, sql, service, applicant, first, whole, redacted }
}
