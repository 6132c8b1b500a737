// A program that works in the console's API: with a token of a person, or with the session of a browser.

import { createAdminToken, scopes } from '../../src/core/people/admin-tokens.ts'
import type { Sql } from '../../src/db/client.ts'
import { answerErrors } from './answer-errors.ts'
import type { TestService } from './service.ts'

/** A person's token; by default, with all scopes and valid for a day. */
export async function aToken(
  sql: Sql,
  person: { person_id: number; email: string },
  { scopes: wanted = scopes as readonly string[], now = Date.now() * 1000 } = {},
): Promise<{ tokenId: string; token: string }> {
  const draft = { name: 'test', scopes: wanted, expires_at: now + 86_400_000_000 }
  return createAdminToken(sql, person, draft, { actor: `admin:${person.email}`, now })
}

export interface ApiAnswer {
  status: number
  /** For an error response, its problem document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they know it to be
  body: any
  headers: Headers
}

export class ApiProgram {
  constructor(
    private readonly service: Pick<TestService, 'get'>,
    private readonly fields: Readonly<Record<string, string>>,
  ) {}

  static withToken(service: Pick<TestService, 'get'>, token: string): ApiProgram {
    return new ApiProgram(service, { Authorization: `Bearer ${token}` })
  }

  /** A request below /admin/api/v1. Throws if it succeeds and the response does not match its action's schema. */
  async ask(method: string, path: string, body?: unknown): Promise<ApiAnswer> {
    const response = await this.service.get(`/admin/api/v1${path}`, {
      method,
      headers: { ...this.fields, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = text === '' ? undefined : JSON.parse(text)
    const errors = response.ok ? answerErrors(method, path, answer, response.status === 202) : []
    if (errors.length > 0) throw new Error(`${method} ${path} is not answered as described: ${errors.join('; ')}`)
    return { status: response.status, body: answer, headers: response.headers }
  }
}
