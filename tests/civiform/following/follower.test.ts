// What a client gets of a followed CiviForm: the first copy, and what comes and changes after it.

import { describe, expect, test } from 'bun:test'
import { useFollowedClient, useFollowing } from '../../support/civiform/following.ts'

const { civiform, database, sql, catchUp } = await useFollowing()
await civiform.publish({
  'rent relief': [
    { name: 'Full name', type: 'NAME' },
    {
      name: 'housing kind 2024',
      type: 'DROPDOWN',
      options: [
        [1, 'rent'],
        [2, 'own'],
      ],
    },
    { name: 'pets', type: 'ENUMERATOR', repeated: [{ name: 'pet food', type: 'TEXT' }] },
  ],
})
const applicant = await civiform.applicant()
const first = await civiform.submit({
  applicant,
  program: 'rent relief',
  answers: {
    full_name: { first_name: 'Ada', last_name: 'Byron' },
    housing_kind_: { selection: '2' },
    pets: [{ entity_name: 'Mochi', pet_food: { text: 'kelp' } }, { entity_name: 'Bao' }],
  },
})
await catchUp()
const client = await useFollowedClient({ database, sql })

describe('a followed program', () => {
  test('is exported with CiviForm’s own ids, keys and answers', async () => {
    const [application] = await client.walkAll()
    expect(application).toMatchObject({
      application_id: first,
      applicant_id: applicant,
      program_name: 'rent-relief',
      revision_state: 'CURRENT',
      language: 'en-US',
      application: {
        full_name: { question_type: 'NAME', first_name: 'Ada', middle_name: null, last_name: 'Byron', suffix: null },
        housing_kind_: { question_type: 'SINGLE_SELECT', selection: 'own' },
        pets: {
          question_type: 'ENUMERATOR',
          entities: [
            { entity_name: 'Mochi', pet_food: { question_type: 'TEXT', text: 'kelp' } },
            { entity_name: 'Bao', pet_food: { question_type: 'TEXT', text: null } },
          ],
        },
      },
    })
  })

  test('a resubmission supersedes, a status arrives, an answer that a job rewrote is new, a deletion takes away', async () => {
    const again = await civiform.applicant()
    const submit = (selection: unknown) =>
      civiform.submit({ applicant: again, program: 'rent relief', answers: { housing_kind_: { selection } } })
    const [before] = await sql<
      { submissions: number; erased: number }[]
    >`select submissions, erased from submission_counter`
    const old = await submit('2')
    await catchUp()
    const second = await submit(1)
    await civiform.setStatus(second, 'Approved')
    await civiform.rewrite(old, { housing_kind_: { selection: '1' } })
    await catchUp()
    const walked = (await client.walkAll()).filter(one => one.applicant_id === again)
    expect(
      walked.map(one => [one.application_id, one.revision_state, one.status, one.application.housing_kind_?.selection]),
    ).toEqual([
      [old, 'OBSOLETE', null, 'rent'],
      [second, 'CURRENT', 'Approved', 'rent'],
    ])
    await civiform.remove(old)
    await catchUp()
    expect((await client.walkAll()).map(one => one.application_id)).toEqual([first, second])
    expect(await sql`select submissions, erased from submission_counter`).toMatchObject([
      { submissions: before!.submissions + 2, erased: before!.erased + 1 },
    ])
  })
})
