// What a program's versions make of its exports: questions that came and went, drafts, keys that two share, unknown types.

import { describe, expect, test } from 'bun:test'
import { readFindings } from '../../src/civiform/db/follow-state.ts'
import { annotate } from '../../src/core/applications/annotate.ts'
import { createApiKey } from '../../src/core/keys/api-keys.ts'
import { saveDraft } from '../../src/core/programs/save-draft.ts'
import { useFollowing } from '../support/civiform/following.ts'
import type { SimulatedQuestion } from '../support/civiform/simulated-civiform.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { schemaErrors } from '../support/response-schema.ts'

const program = 'rent relief'
type Version = readonly SimulatedQuestion[]

/** A program with these versions, one application submitted to each with these answers, and what a client gets of it. */
async function versions(profile: 'contract' | 'origin', given: readonly (readonly [Version, object])[]) {
  const following = await useFollowing({ profile })
  const { civiform, database, sql, catchUp } = following
  for (const [questions, answers] of given) {
    await civiform.publish({ [program]: questions })
    await civiform.submit({
      applicant: await civiform.applicant(),
      program,
      answers: answers as Record<string, unknown>,
    })
  }
  await catchUp()
  const service = await useService(database, { exportProfile: profile })
  const key = await createTestKey(sql, { programs: ['rent-relief'] })
  const client = new ExportClient(service, key, 'rent-relief')
  /** Without the check against the docs, which say what the manual says. */
  const answersOf = async (): Promise<Record<string, Record<string, unknown>>[]> => {
    const { payload } = (await (await client.request()).json()) as { payload: { application: never }[] }
    return payload.map(item => item.application)
  }
  return { ...following, service, key, client, answersOf }
}

describe('the questions of a program', () => {
  const pets = (...repeated: SimulatedQuestion[]): SimulatedQuestion => ({ name: 'pets', type: 'ENUMERATOR', repeated })
  const food = { name: 'pet food', type: 'TEXT' }
  const colour = { name: 'pet colour', type: 'TEXT' }

  test('51: a repeated question of another version is null in every entity as in the manual, or absent as in CiviForm’s code (D12)', async () => {
    const given = [
      [[pets(food)], { pets: [{ entity_name: 'Mochi' }] }],
      [[pets(food, colour)], {}],
    ] as const
    const contract = await versions('contract', given)
    const [entity] = (await contract.client.walkAll())[0]!.application.pets!.entities as unknown[]
    expect(entity).toEqual({
      entity_name: 'Mochi',
      pet_food: { question_type: 'TEXT', text: null },
      pet_colour: { question_type: 'TEXT', text: null },
    })
    const code = await versions('origin', given)
    expect((await code.answersOf())[0]!.pets!.entities).toEqual([
      { entity_name: 'Mochi', pet_food: { question_type: 'TEXT', text: null } },
    ])
  })

  test.each(['contract', 'origin'] as const)(
    '40: a file question that a version lacks looks like an unanswered one, in the profile %s',
    async profile => {
      const job = { name: 'job', type: 'TEXT' }
      const file = { name: 'pay stub', type: 'FILEUPLOAD' }
      const { answersOf, client } = await versions(profile, [
        [[job], {}],
        [[job, file, { name: 'shape', type: 'POLYGON' }], { pay_stub: { file_key_list: ['a'] } }],
      ])
      const none = { question_type: 'FILE_UPLOAD', file_urls: [] }
      const expected = profile === 'contract' ? { ...none, file_key: null } : none
      const [unasked, asked] = (await answersOf()).map(item => item.pay_stub)
      expect(unasked).toEqual(expected)
      expect(Object.keys(asked!).sort()).toEqual(Object.keys(expected).sort())
      const csv = await client.request({}, { Accept: 'text/csv' })
      expect([csv.status, await csv.text()]).toEqual([200, expect.stringContaining('applicant-files/a')])
    },
  )

  test('54, 58, 59: a question dropped by a later version is null there and keeps its earlier answers, and options have the names of the application’s version', async () => {
    const housing = (own: string): SimulatedQuestion => ({ name: 'housing', type: 'DROPDOWN', options: [[2, own]] })
    const answers = { move_in: { date: 951782400000 }, housing: { selection: '2' } }
    const { client, sql } = await versions('contract', [
      [[{ name: 'move in', type: 'DATE' }, housing('own')], answers],
      [[housing('owner')], answers],
    ])
    // Of versions that arrive together, what is derived is made of the newest at once.
    expect(
      await sql`
        select from outbox where (payload ->> 'program_version_id')::bigint = (
          select max(program_version_id) from program_version)`,
    ).toHaveLength(2)
    const walked = await client.walkAll()
    expect(walked.map(({ application }) => [application.move_in, application.housing!.selection])).toEqual([
      [{ question_type: 'DATE', date: '2000-02-29' }, 'own'],
      [{ question_type: 'DATE', date: null }, 'owner'],
    ])
  })

  test('55: questions of a draft are null in every application as in CiviForm’s code, or absent as in the manual (D4)', async () => {
    for (const profile of ['contract', 'origin'] as const) {
      const { civiform, catchUp, answersOf, service, key } = await versions(profile, [[[food], {}]])
      await civiform.saveDraft(program, [food, { name: 'favourite colour', type: 'TEXT' }])
      await catchUp()
      const none = { question_type: 'TEXT', text: null }
      expect(await answersOf()).toEqual([
        profile === 'contract' ? { pet_food: none } : { pet_food: none, favourite_colour: none },
      ])
      const at = '/docs/api/programs/rent-relief/versions/active/openapi.json'
      const document = await (await service.get(at, { headers: { Authorization: key.authorization } })).json()
      const names = JSON.stringify(document).matchAll(/"program_name":(?:\{[^}]*"const":)?"([^"]*)"/g)
      expect([...names].map(([, name]) => name)).toEqual(
        new Array(3).fill(profile === 'contract' ? 'rent-relief' : program),
      )
    }
  })

  test('57: a program row outside all CiviForm versions, and a draft with applications, are program versions too', async () => {
    const { civiform, catchUp, client, restarted } = await versions('contract', [
      [[food], { pet_food: { text: 'kelp' } }],
      [[food], {}],
    ])
    await civiform.app`
      delete from versions_programs where programs_id = (select min(id) from programs)`
    const draft = await civiform.saveDraft(program, [food, colour])
    await civiform.app`
      insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time)
      select applicant_id, ${draft}, '{"applicant": {"pet_colour": {"text": "red"}}}', 'active', now() at time zone 'UTC',
        clock_timestamp() at time zone 'UTC' from applications limit 1`
    await catchUp()
    const walked = await client.walkAll()
    expect(
      walked.map(application => [application.application.pet_food!.text, application.application.pet_colour!.text]),
    ).toEqual([
      ['kelp', null],
      [null, null],
      [null, 'red'],
    ])
    // Also after a restart, when nothing is submitted to it any more.
    await civiform.saveDraft(program, [food, colour, { name: 'pet weight', type: 'NUMBER' }])
    await catchUp(restarted())
    expect((await client.walkAll())[0]!.application).toHaveProperty('pet_weight')
    // Edited on and published at last: the same row, with other questions.
    await civiform.publish({ [program]: [food, { name: 'pet size', type: 'TEXT' }] })
    await catchUp()
    expect(Object.keys((await client.walkAll())[2]!.application).sort()).toEqual(['pet_food', 'pet_size'])
  })

  test('62: two questions with the same key, in one version or in two, are exported under it once and reported', async () => {
    const unit = (name: string, type: string): SimulatedQuestion => ({ name, type })
    const answers = { unit_: { number: 4, text: 'b' } }
    const { client, sql } = await versions('contract', [
      [[unit('unit 1', 'NUMBER')], answers],
      [[unit('unit 2', 'TEXT')], answers],
      [[unit('unit 1', 'NUMBER'), unit('unit 2', 'TEXT')], answers],
    ])
    const texts = await Promise.all([client.request().then(response => response.text())])
    expect(texts[0]!.match(/"unit_":/g)).toHaveLength(3)
    const { payload } = JSON.parse(texts[0]!) as { payload: { application: unknown }[] }
    expect(payload.map(item => item.application)).toEqual([
      { unit_: { question_type: 'NUMBER', number: 4 } },
      { unit_: { question_type: 'TEXT', text: 'b' } },
      { unit_: { question_type: 'TEXT', text: 'b' } },
    ])
    expect((await readFindings(sql)).map(finding => finding.kind)).toEqual(['key_collision'])
  })
})

describe('unknown types', () => {
  test('an unknown question type and a broken document are reported without stopping the export, and pages match their docs', async () => {
    const { civiform, client, sql, catchUp, service, key } = await versions('contract', [
      [
        [
          { name: 'job', type: 'TEXT' },
          { name: 'beam', type: 'HOLOGRAM' },
        ],
        { beam: { x: 1 }, job: { text: 'nurse' } },
      ],
    ])
    const broken = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
    await civiform.app`update applications set object = '"{\\"applicant\\":"' where id = ${broken}`
    const last = await civiform.submit({
      applicant: await civiform.applicant(),
      program,
      answers: { job: { text: 'cook' } },
    })
    await catchUp()
    const walked = await client.walkAll()
    const beam = { question_type: 'HOLOGRAM' }
    expect(walked.map(application => [application.application.job!.text, application.application.beam])).toEqual([
      ['nurse', beam],
      [null, beam],
      ['cook', beam],
    ] as never)
    expect(walked.at(-1)!.application_id).toBe(last)
    const findings = await readFindings(sql)
    expect(findings.map(finding => [finding.kind, finding.subject === String(broken)])).toEqual([
      ['application', true],
      ['unknown_question_type', false],
    ])
    const [version] = await sql<
      { id: number }[]
    >`select program_version_id as id from program_version where state = 'ACTIVE'`
    const download = async (file: string) => {
      const at = `/docs/api/programs/rent-relief/versions/${version!.id}/${file}`
      return (await service.get(at, { headers: { Authorization: key.authorization } })).text()
    }
    const schema = JSON.parse(await download('response.schema.json'))
    expect(schemaErrors(schema, (await client.page()).page)).toEqual([])
    const openApi = JSON.parse((await download('openapi.json')).replaceAll('#/components/schemas/', '#/$defs/'))
    expect(openApi.components.schemas).toMatchObject(schema.$defs)
    const page = await service.get('/docs/api/programs/rent-relief', {
      headers: { Authorization: key.authorization, Accept: 'text/html' },
    })
    expect(await page.text()).toContain('What about job?')
  })

  test('a followed program cannot be edited, annotated, submitted to or loaded into', async () => {
    const { sql } = await versions('contract', [[[{ name: 'job', type: 'TEXT' }], {}]])
    const [row] = await sql<
      { program_id: number; application_id: number }[]
    >`select program_id, application_id from application`
    const change = { ...row!, status: 'x', actor: 'operator:test', now: 0, timeZone: 'UTC' }
    await expect(annotate(sql, change)).rejects.toMatchObject({ internal: 'followed' })
    const now = Date.now() * 1000
    const key = {
      name: 'k',
      programs: ['rent-relief'],
      allowed_subnets: ['10.0.0.0/8'],
      expires_at: now + 86_400_000_000,
    }
    const submits = { ...key, may_export: false, may_submit: true, front_end: 'web', actor: 'operator:test', now }
    const refused = createApiKey(sql, 'k3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx', submits)
    await expect(refused).rejects.toMatchObject({ errors: [{ code: 'submitted_elsewhere' }] })
    await expect(saveDraft(sql, { slug: 'rent-relief' }, 'operator:test')).rejects.toMatchObject({
      internal: 'followed',
    })
    await expect(
      Promise.resolve(sql`insert into program (slug, display_name) values ('own', 'Own')`),
    ).rejects.toMatchObject({
      code: '23001',
    })
  })
})
