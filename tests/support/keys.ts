// Programs and API keys for tests, put straight into the database: also such as no use case would make (expired, retired).

import { apiSecretToken, hashPassword, mintCredential } from '../../src/core/keys/credential.ts'
import type { Sql } from '../../src/db/client.ts'
import { insertApiKey, replaceApiKeyPrograms, retireApiKeyRow } from '../../src/db/keys/api-key-rows.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { testPepper } from './config.ts'

const dayMicros = 86_400_000_000

/** The front end of test applicants by default. */
export const testFrontEnd = 'front end of tests'

export interface TestKey {
  api_key_id: string
  /** The same as `api_key_id`. */
  username: string
  password: string
  apiSecretToken: string
  /** Value of the Authorization header. */
  authorization: string
}

export interface TestKeyOptions {
  /** Slugs; missing programs are created empty. */
  programs?: readonly string[]
  name?: string
  mayExport?: boolean
  maySubmit?: boolean
  mayAnnotate?: boolean
  /** For a key that may submit; `testFrontEnd` by default. */
  frontEnd?: string
  createdAt?: Micros
  /** 90 days after `createdAt` by default. */
  expiresAt?: Micros
  retiredAt?: Micros
  /** CIDR; from anywhere by default. */
  allowedSubnets?: readonly string[]
  /** Admin names of hidden questions. */
  hiddenQuestions?: readonly string[]
  pepper?: string
}

/** A key with a new credential; by default it may export, from anywhere. */
export async function createTestKey(sql: Sql, options: TestKeyOptions = {}): Promise<TestKey> {
  const { username, password } = mintCredential()
  const createdAt = options.createdAt ?? Date.now() * 1000 - dayMicros
  await insertApiKey(sql, {
    api_key_id: username,
    name: options.name ?? 'A key of a test',
    secret_hash: hashPassword(options.pepper ?? testPepper, password),
    may_export: options.mayExport ?? true,
    may_submit: options.maySubmit ?? false,
    may_annotate: options.mayAnnotate ?? false,
    front_end: options.maySubmit ? (options.frontEnd ?? testFrontEnd) : null,
    expires_at: options.expiresAt ?? createdAt + 90 * dayMicros,
    allowed_subnets: [...(options.allowedSubnets ?? ['0.0.0.0/0', '::/0'])],
    hidden_questions: [...(options.hiddenQuestions ?? [])],
    created_at: createdAt,
    created_by: 'operator:test',
  })
  const { programs = [] } = options
  if (programs.length > 0) {
    await ensureTestPrograms(sql, programs)
    await replaceApiKeyPrograms(sql, username, programs)
  }
  if (options.retiredAt !== undefined) await retireApiKeyRow(sql, username, options.retiredAt, 'operator:test')
  return {
    api_key_id: username,
    username,
    password,
    apiSecretToken: apiSecretToken(username, password),
    authorization: `Basic ${apiSecretToken(username, password)}`,
  }
}

/** Creates the missing programs among these slugs, with only a counter. */
export async function ensureTestPrograms(sql: Sql, slugs: readonly string[]): Promise<void> {
  await sql.begin(async tx => {
    await tx`
      insert into program ${tx(slugs.map(slug => ({ slug, display_name: slug })))}
      on conflict (slug) do nothing`
    await tx`
      insert into submission_counter (program_id)
      select program_id from program where slug = any (${[...slugs]}::text[])
      on conflict do nothing`
  })
}

/** The ID of the program with this slug, which is created if missing. */
export async function ensureTestProgram(sql: Sql, slug: string): Promise<number> {
  await ensureTestPrograms(sql, [slug])
  const [program] = await sql<{ program_id: number }[]>`select program_id from program where slug = ${slug}`
  return program!.program_id
}
