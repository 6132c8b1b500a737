import { describe, expect, test } from 'bun:test'
import { useIntake } from '../../../support/fixtures.ts'
import { codesOf } from '../../../support/intake-fixture.ts'
import { everyKind } from '../../../support/programs.ts'

const intake = await useIntake(everyKind, { timeZone: 'UTC' })

const name = { applicant_name: { first_name: 'Ada', last_name: 'L' } }

describe('from the first question to the export', () => {
  test('what is saved screen by screen is what is exported', async () => {
    const registered = await intake.send('POST', 'applicants', { language: 'en-us' })
    expect(registered).toMatchObject({ status: 201, body: { language: 'en-US' } })
    const applicant = registered.body.applicant_id as number
    expect(await intake.save(applicant, name)).toMatchObject({ status: 200 })
    const last = await intake.save(applicant, {
      monthly_rent: { currency_dollars: 1200.5 },
      contact_phone: { phone_number: '+1 206 555 0100' },
      household_member: { entities: [{ entity_name: 'Bo', member_job: { entities: [{ entity_name: 'Mill' }] } }] },
    })
    const saved = await intake.send('GET', intake.answersPath(applicant))
    expect(saved).toMatchObject({ status: 200, body: last.body })
    expect(saved.body).toMatchObject({ applicant_id: applicant, program_name: 'housing-aid' })
    expect(saved.body.create_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

    const submitted = await intake.submit(applicant, 'k-1')
    expect(submitted.status).toBe(201)
    expect(Object.keys(submitted.body).sort()).toEqual([
      'application_id',
      'create_time',
      'program_version_id',
      'revision_state',
      'submit_time',
    ])
    const exported = (await intake.exported()).at(-1)!
    expect(exported).toMatchObject({
      ...submitted.body,
      applicant_id: applicant,
      language: 'en-US',
      submitter_type: 'APPLICANT',
    })
    expect(exported.application).toMatchObject(saved.body.answers as object)
    expect(exported.application).toMatchObject({
      contact_phone: { question_type: 'PHONE', phone_number: '+12065550100' },
      monthly_rent: { question_type: 'CURRENCY', currency_dollars: 1200.5 },
      owns_home: { question_type: 'SINGLE_SELECT', selection: null },
    })
    // What the next application starts from.
    expect(await intake.send('GET', intake.answersPath(applicant))).toMatchObject({
      status: 200,
      body: { ...saved.body, create_time: null },
    })
  })

  test('a second submission with nothing saved since gets a 409 with the receipt of the first, and stores nothing (D28)', async () => {
    const applicant = await intake.register()
    await intake.save(applicant, name)
    const first = await intake.submit(applicant, 'click-1')
    const before = await intake.exported()
    const again = await intake.submit(applicant, 'click-2')
    expect(again).toMatchObject({ status: 409, body: { errors: [{ code: 'nothing_saved' }], receipt: first.body } })
    expect(await intake.exported()).toEqual(before)
    expect(await intake.submit(applicant, 'click-1')).toMatchObject({ status: 200, body: first.body })
    // The key that was refused is still a new one.
    await intake.save(applicant, name)
    expect(await intake.submit(applicant, 'click-2')).toMatchObject({ status: 201 })
  })

  test('a submission sent again with its key gets the same body with a 200, and the key with another one is a conflict', async () => {
    const [applicant, other] = [await intake.register(), await intake.register()]
    await intake.save(applicant, name)
    const first = await intake.submit(applicant, 'k-2')
    expect(await intake.submit(applicant, 'k-2')).toMatchObject({ status: 200, body: first.body })
    const refused = await intake.submit(other, 'k-2')
    expect(refused.status).toBe(409)
    expect(codesOf(refused)).toEqual({ 'Idempotency-Key': 'idempotency_key_reused' })
  })

  test("the language is the applicant's at submission", async () => {
    const applicant = await intake.register()
    await intake.save(applicant, name)
    expect(await intake.send('PUT', `applicants/${applicant}`, { language: 'ES-mx' })).toMatchObject({
      status: 200,
      body: { applicant_id: applicant, language: 'es-MX' },
    })
    await intake.submit(applicant)
    await intake.send('PUT', `applicants/${applicant}`, { language: 'de' })
    expect((await intake.exported()).at(-1)).toMatchObject({ applicant_id: applicant, language: 'es-MX' })
  })

  test('missing answers are reported by their path in the saved answers', async () => {
    const applicant = await intake.register()
    await intake.save(applicant, { household_member: { entities: [{ entity_name: 'Bo' }] } })
    const refused = await intake.submit(applicant)
    expect(refused.status).toBe(400)
    expect(codesOf(refused)).toEqual({ '/answers/applicant_name': 'required' })
  })

  test('a front end receives the questions to ask', async () => {
    const { status, body, headers } = await intake.send('GET', 'programs/housing-aid')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ program_name: 'housing-aid', program_version_id: intake.program.program_version_id })
    expect(body.screens).toEqual(intake.program.version.screens as never)
    const questions = body.questions as { question_key: string }[]
    expect(questions.find(question => question.question_key === 'county')).toEqual({
      question_id: intake.program.question('county').question_id,
      question_key: 'county',
      kind: 'DROPDOWN',
      question_type: 'SINGLE_SELECT',
      enumerator_id: null,
      settings: intake.program.question('county').settings,
    } as never)
    expect(questions.find(question => question.question_key === 'welcome')).toMatchObject({
      question_type: null,
    } as never)
  })

  test('the log has the program and application, and no answers', async () => {
    const applicant = await intake.register()
    await intake.save(applicant, {
      applicant_name: { first_name: 'Xanthippe', last_name: 'L' },
      case_number: { id: '123456789' },
    })
    await intake.save(applicant, { county: { selection: 'Xanthippe' } })
    const { headers, body } = await intake.submit(applicant)
    expect(intake.service.requestLine(headers.get('x-request-id'))).toMatchObject({
      program: 'housing-aid',
      application_id: body.application_id,
      status: 201,
      api_key_id: intake.key.api_key_id,
    })
    expect(intake.service.logText()).not.toContain('Xanthippe')
    expect(intake.service.logText()).not.toContain('123456789')
  })
})
