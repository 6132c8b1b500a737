// A service with one program and one key that may submit to it, as `useIntake` opens it, and short ways to send it anything at all.

import type { TestDatabase } from './database.ts'
import type { TestKey } from './keys.ts'
import type { PublishedTestProgram } from './programs.ts'
import type { TestService } from './service.ts'

export interface Answered {
  status: number
  headers: Headers
  /** The body, parsed; undefined when there is none. */
  body: {
    [member: string]: unknown
    errors?: { path?: string; parameter?: string; code: string; detail: string }[]
  }
}

export class IntakeFixture {
  constructor(
    readonly database: TestDatabase,
    readonly service: TestService,
    readonly program: PublishedTestProgram,
    readonly key: TestKey,
  ) {}

  /** Sends text, bytes or a value as JSON. `headers` replace the usual ones, and undefined removes one. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | undefined> = {},
  ): Promise<Answered> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
    const sent: Record<string, string | undefined> = {
      Authorization: this.key.authorization,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    }
    const response = await this.service.get(`/intake/v1/${path}`, {
      method,
      headers: Object.entries(sent).filter((field): field is [string, string] => field[1] !== undefined),
      ...(body === undefined ? {} : { body: isRaw ? (body as Bun.BodyInit) : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    } as Answered
  }

  async register(): Promise<number> {
    const { body } = await this.send('POST', 'applicants', { language: 'en-US' })
    return body.applicant_id as number
  }

  answersPath(applicant: number | string, slug = 'housing-aid'): string {
    return `programs/${slug}/applicants/${applicant}/answers`
  }

  save(applicant: number, answers: unknown): Promise<Answered> {
    return this.send('PUT', this.answersPath(applicant), { answers })
  }

  submit(applicant: number | string, idempotencyKey: string = crypto.randomUUID(), body?: unknown): Promise<Answered> {
    return this.send(
      'POST',
      `programs/housing-aid/applicants/${applicant}/submissions`,
      body ?? { submitter: { type: 'APPLICANT' } },
      { 'Idempotency-Key': idempotencyKey },
    )
  }

  /** The program's export, newest last. */
  async exported(): Promise<{ application: Record<string, unknown>; [field: string]: unknown }[]> {
    const response = await this.service.get('/api/v1/admin/programs/housing-aid/applications', {
      headers: { Authorization: this.key.authorization },
    })
    return ((await response.json()) as { payload: { application: Record<string, unknown> }[] }).payload
  }
}

/** Path or parameter → code of each error. */
export const codesOf = ({ body }: Answered): Record<string, string> =>
  Object.fromEntries((body.errors ?? []).map(error => [error.path ?? error.parameter ?? '', error.code]))
