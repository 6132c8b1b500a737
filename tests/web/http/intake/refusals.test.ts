import { describe, expect, test } from 'bun:test'
import { useIntake } from '../../../support/fixtures.ts'
import { codesOf } from '../../../support/intake-fixture.ts'
import { createTestKey, ensureTestProgram } from '../../../support/keys.ts'
import { q } from '../../../support/programs.ts'
import { rawRequest } from '../../../support/raw-request.ts'

const intake = await useIntake([q.text('t', { optional: true })], { intakeBodyBytesMax: 110_000, intakeDepthMax: 16 })
const applicant = await intake.register()

const answers = { answers: { t: { text: 'x' } } }

describe('unauthorized requests', () => {
  const routes = (slug: string): [method: string, path: string, body?: unknown][] => [
    ['GET', `programs/${slug}`],
    ['PUT', `programs/${slug}/applicants/1/answers`, answers],
    ['GET', `programs/${slug}/applicants/1/answers`],
    ['POST', `programs/${slug}/applicants/1/submissions`, { submitter: { type: 'APPLICANT' } }],
  ]

  test('get the same 401 before anything else is checked', async () => {
    const { sql } = intake.database
    await ensureTestProgram(sql, 'other-program')
    const exporter = await createTestKey(sql, { mayExport: true, programs: ['housing-aid'] })
    const refusals: string[] = []
    const refuse = async (method: string, path: string, body: unknown, headers: Record<string, string | undefined>) => {
      const answer = await intake.send(method, path, body, headers)
      expect([method, path, answer.status]).toEqual([method, path, 401])
      refusals.push(JSON.stringify({ ...answer.body, request_id: '' }) + answer.headers.get('www-authenticate'))
    }
    for (const [method, path] of [...routes('housing-aid'), ['POST', 'applicants'], ['PUT', 'applicants/1']] as const) {
      const malformed = method === 'GET' ? undefined : '{'
      await refuse(method, path, malformed, { Authorization: undefined })
      await refuse(method, path, malformed, { Authorization: exporter.authorization })
    }
    for (const slug of [
      'other-program',
      'no-such-program',
      '%00',
      "';--",
      '__proto__',
      'constructor',
      '%ff',
      'HOUSING-AID',
    ]) {
      for (const [method, path, body] of routes(slug)) await refuse(method, path, body, {})
    }
    expect(new Set(refusals).size).toBe(1)
  })

  test('leave the reason in the log', async () => {
    const { headers } = await intake.send('GET', 'programs/no-such-program')
    expect(intake.service.requestLine(headers.get('x-request-id'))).toMatchObject({ reason: 'no_grant' })
  })
})

describe('methods (contract D25)', () => {
  test('other than the supported ones get a 405 with Allow', async () => {
    const offered: [string, string][] = [
      ['programs/housing-aid', 'GET, HEAD'],
      ['applicants', 'POST'],
      ['applicants/1', 'PUT'],
      ['programs/housing-aid/applicants/1/answers', 'GET, HEAD, PUT'],
      ['programs/housing-aid/applicants/1/submissions', 'POST'],
    ]
    for (const [path, allow] of offered) {
      for (const method of ['DELETE', 'PATCH', 'OPTIONS', 'POST', 'PUT', 'GET'].filter(
        value => !allow.includes(value),
      )) {
        const answer = await intake.send(method, path, method === 'GET' ? undefined : '{')
        expect([method, path, answer.status, answer.headers.get('allow')]).toEqual([method, path, 405, allow])
        expect(answer.headers.get('content-type')).toBe('application/problem+json')
      }
    }
  })

  test('include HEAD, with the response of GET without the body', async () => {
    for (const path of ['programs/housing-aid', 'programs/no-such-program', intake.answersPath(999_999)]) {
      const [head, get] = [await intake.send('HEAD', path), await intake.send('GET', path)]
      expect([path, head.status, head.body]).toEqual([path, get.status, undefined as never])
    }
  })
})

describe('bodies', () => {
  const put = (body: unknown, headers?: Record<string, string | undefined>) =>
    intake.send('PUT', intake.answersPath(applicant), body, headers)

  test('must be JSON in UTF-8, or get a 415', async () => {
    for (const type of [
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=utf-16',
      'application/jsonx',
    ]) {
      expect([type, (await put(JSON.stringify(answers), { 'Content-Type': type })).status]).toEqual([type, 415])
    }
    expect((await put(JSON.stringify(answers), { 'Content-Encoding': 'gzip' })).status).toBe(415)
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf-8"']) {
      expect([type, (await put(JSON.stringify(answers), { 'Content-Type': type })).status]).toEqual([type, 200])
    }
  })

  test('above the limit get a 413, whether their length is declared or not', async () => {
    const long = JSON.stringify({ answers: { t: { text: 'x'.repeat(110_000) } } })
    expect(await put(long)).toMatchObject({ status: 413 })
    const chunks = (total: number): ReadableStream<Uint8Array> => {
      let sent = 0
      return new ReadableStream({
        pull(controller) {
          if (sent >= total) return controller.close()
          sent += 10_000
          controller.enqueue(Buffer.alloc(10_000, ' '))
        },
      })
    }
    expect(await put(chunks(200_000))).toMatchObject({ status: 413 })
    expect((await put(chunks(90_000))).status).toBe(400)
  })

  test('with a wrong Content-Length are rejected', async () => {
    const lines = (length: string) => [
      `PUT /intake/v1/${intake.answersPath(applicant)} HTTP/1.1`,
      ...['Host: localhost', `Authorization: ${intake.key.authorization}`, 'Content-Type: application/json'],
      `Content-Length: ${length}`,
    ]
    for (const length of ['99999999999999999999', '2000000000']) {
      const { status } = await rawRequest(intake.service.port, lines(length))
      expect([length, status >= 400 && status < 500]).toEqual([length, true])
    }
  })

  test('that cannot be parsed get an error with line and column', async () => {
    const { body } = await put('{\n  "answers": {\n    "t": {"text": nonsense}\n  }\n}')
    expect(body.errors).toEqual([
      {
        path: '/answers/t/text',
        code: 'malformed_json',
        detail: expect.stringContaining('(line 3, column 19)'),
      },
    ])
  })

  test('must be UTF-8 and JSON with unique keys and bounded depth and size, or get a 400 that says what is wrong and where', async () => {
    const errors: [unknown, Record<string, string>][] = [
      ['', { '': 'malformed_json' }],
      ['{"answers":', { '/answers': 'malformed_json' }],
      [new Uint8Array([0x22, 0xff, 0x22]), { '': 'invalid_utf8' }],
      // A surrogate as if it were a character, and an overlong form.
      [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), { '': 'invalid_utf8' }],
      [new Uint8Array([0x22, 0xc0, 0x80, 0x22]), { '': 'invalid_utf8' }],
      ['\ufeff{}', { '': 'malformed_json' }],
      ['{"answers":{"t":{"text":"a","text":"a"}}}', { '/answers/t/text': 'duplicate_key' }],
      ['['.repeat(50_000), { [`${'/0'.repeat(16)}`]: 'too_deep' }],
      ['{"a":'.repeat(17), { [`${'/a'.repeat(16)}`]: 'too_deep' }],
      [`[${'1,'.repeat(49_999)}1]`, { '/49999': 'too_many_values' }],
      [`[${'1,'.repeat(49_998)}1]`, { '': 'wrong_type' }],
      ['[]', { '': 'wrong_type' }],
      ['{}', { '/answers': 'required' }],
      [
        { ...answers, more: 1, __proto: 2 },
        { '/more': 'unknown_member', '/__proto': 'unknown_member' },
      ],
      [{ answers: null }, { '/answers': 'wrong_type' }],
      ['{"answers":{"__proto__":{"text":"x"}}}', { '/answers/__proto__': 'unknown_question' }],
      ['{"answers":{"t":{"text":"\\ud800"}}}', { '/answers/t/text': 'ill_formed_text' }],
    ]
    for (const [body, codes] of errors) {
      const answer = await put(body)
      expect([String(body).slice(0, 50), answer.status, codesOf(answer)]).toEqual([
        String(body).slice(0, 50),
        400,
        codes,
      ])
    }
  })

  test('of submissions get errors that name the submitter', async () => {
    const submission = (submitter: unknown) => intake.submit(applicant, 'k', { submitter })
    const errors: [unknown, Record<string, string>][] = [
      [undefined, { '/submitter': 'required' }],
      [null, { '/submitter': 'required' }],
      [{}, { '/submitter/type': 'not_allowed' }],
      [{ type: 'ADMIN' }, { '/submitter/type': 'not_allowed' }],
      [{ type: 'APPLICANT', email: 'a' }, { '/submitter/email': 'unknown_member' }],
      [{ type: 'TRUSTED_INTERMEDIARY' }, { '/submitter/email': 'required', '/submitter/organization': 'required' }],
      [
        { type: 'TRUSTED_INTERMEDIARY', email: '', organization: 7 },
        { '/submitter/email': 'empty', '/submitter/organization': 'wrong_type' },
      ],
    ]
    for (const [submitter, codes] of errors) {
      const answer = await submission(submitter)
      expect([submitter, answer.status, codesOf(answer)]).toEqual([submitter, 400, codes])
    }
  })

  test('of applicants get errors that name a language', async () => {
    for (const language of ['en_US', '', 'x'.repeat(200), null, 7, '\0', 'en; drop table applicant']) {
      const answer = await intake.send('POST', 'applicants', { language })
      expect([language, answer.status, Object.keys(codesOf(answer))]).toEqual([language, 400, ['/language']])
    }
    expect((await intake.send('POST', 'applicants', '{"language":"\\ud800"}')).status).toBe(400)
  })
})

describe('applicants and idempotency keys', () => {
  test("an unknown applicant's ID gets a 404", async () => {
    for (const id of [
      '0',
      '-1',
      '1.5',
      '01',
      '1e3',
      'x',
      '99999999999999999999',
      '9007199254740993',
      '999999',
      '%00',
      '%ff',
      "1';--",
      '١',
    ]) {
      expect([id, (await intake.send('PUT', `applicants/${id}`, { language: 'en' })).status]).toEqual([id, 404])
      expect([id, (await intake.send('PUT', intake.answersPath(id), answers)).status]).toEqual([id, 404])
      expect([id, (await intake.send('GET', intake.answersPath(id))).status]).toEqual([id, 404])
      expect([id, (await intake.submit(id)).status]).toEqual([id, 404])
    }
  })

  test('a submission needs a key of 1 to 200 printable ASCII characters', async () => {
    const path = `programs/housing-aid/applicants/${applicant}/submissions`
    const submission = { submitter: { type: 'APPLICANT' } }
    const send = (key: string | undefined) => intake.send('POST', path, submission, { 'Idempotency-Key': key })
    for (const [key, code] of [
      [undefined, 'required'],
      ['', 'required'],
      ['x'.repeat(201), 'malformed'],
      ['ä', 'malformed'],
      ['a\tb', 'malformed'],
    ] as const) {
      const answer = await send(key)
      expect([key, answer.status, codesOf(answer)]).toEqual([key, 400, { 'Idempotency-Key': code }])
    }
    await intake.save(applicant, answers.answers)
    expect(await send(`~ "'${'x'.repeat(196)}`)).toMatchObject({ status: 201 })
  })
})
