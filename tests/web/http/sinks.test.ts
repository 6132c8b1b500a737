// What PostgreSQL says when it refuses a row quotes that row. Every table that a request writes to is made to refuse here, in each way
// in which PostgreSQL can, and every place where something is kept or sent is searched.

import { describe, expect, test } from 'bun:test'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { createTestKey, type TestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const slug = 'watched'
const canary = 'canary4711'
let key: TestKey
const database = await useDatabase()
const service = await useService(database)
await aProgram(database.sql, { slug, questions: [q.text('secret of mine', { optional: true })] })
key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })

const bodies: string[] = []

async function send(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await service.get(path, {
    method,
    headers: {
      Authorization: key.authorization,
      'Content-Type': 'application/json',
      'Idempotency-Key': `${canary}-${crypto.randomUUID()}`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  bodies.push(text)
  return { status: response.status, text }
}

const register = async (): Promise<string> => {
  const { status, text } = await send('POST', '/intake/v1/applicants', { language: `en-x-${canary.slice(0, 8)}` })
  return status === 201 ? String((JSON.parse(text) as { applicant_id: number }).applicant_id) : ''
}
const save = (applicant: string) =>
  send('PUT', `/intake/v1/programs/${slug}/applicants/${applicant}/answers`, {
    answers: { secret_of_mine: { text: canary } },
  })
const submit = (applicant: string) =>
  send('POST', `/intake/v1/programs/${slug}/applicants/${applicant}/submissions`, {
    submitter: { type: 'TRUSTED_INTERMEDIARY', email: `${canary}@example.org`, organization: canary },
  })

/** How PostgreSQL can be made to refuse any row of a table. */
const refusals = {
  'a check, which quotes the failing row': {
    on: (table: string) => `alter table ${table} add constraint refused check (${table}::text = '') not valid`,
    off: (table: string) => `alter table ${table} drop constraint refused`,
  },
  'a trigger, which quotes it in message, detail and hint': {
    on: (table: string) => `
      create or replace function refuse_aloud() returns trigger language plpgsql as $$
      begin
        raise exception 'refused: %', to_jsonb(new) using detail = to_jsonb(new)::text, hint = to_jsonb(new)::text;
      end $$;
      create trigger aaa_refused before insert or update on ${table} for each row execute function refuse_aloud()`,
    off: (table: string) => `drop trigger aaa_refused on ${table}`,
  },
  'a value that cannot be read, which is quoted': {
    on: (table: string) => `
      create or replace function refuse_badly() returns trigger language plpgsql as $$
      begin
        perform to_jsonb(new)::text::bigint;
        return new;
      end $$;
      create trigger aaa_refused before insert or update on ${table} for each row execute function refuse_badly()`,
    off: (table: string) => `drop trigger aaa_refused on ${table}`,
  },
}

/** Each table that a request writes to, the request, and whether its failure is the request's. */
const writes: Record<string, { act: (applicant: string) => Promise<unknown>; fails: boolean }> = {
  applicant: { act: register, fails: true },
  application_in_progress: { act: save, fails: true },
  submission_request: { act: submit, fails: true },
  application: { act: submit, fails: true },
  audit_event: {
    act: () => send('GET', `/api/v1/admin/programs/${slug}/applications?fromDate=2026-01-01`),
    fails: false,
  },
  api_key: { act: () => send('GET', '/api/v1/checkAuth'), fails: false },
}

describe('no row, value, parameter or statement of a database error appears anywhere', () => {
  for (const [how, { on, off }] of Object.entries(refusals)) {
    for (const [table, { act, fails }] of Object.entries(writes)) {
      test(`${table}: ${how}`, async () => {
        const applicant = await register()
        await save(applicant)
        // A key's last use is noted by a process once a minute; a fresh key has none.
        key = await createTestKey(database.sql, { programs: [slug], maySubmit: true })
        const linesBefore = service.logLines.length
        bodies.length = 0
        await database.sql.unsafe(on(table))
        try {
          await act(applicant)
          const line = await until('the failure in the log', () =>
            service.logLines.slice(linesBefore).find(entry => (entry.err as { code?: string } | undefined)?.code),
          )
          expect(line.err).toMatchObject({ type: expect.any(String), severity: 'ERROR' })
          if (how.startsWith('a check')) expect(line.err).toMatchObject({ code: '23514', table, constraint: 'refused' })
        } finally {
          await database.sql.unsafe(off(table))
        }
        const logged = service.logText().split('\n').slice(linesBefore).join('\n')
        const audited = await database.sql<{ text: string }[]>`select e::text as text from audit_event e`
        const everything = [logged, ...bodies, ...audited.map(row => row.text)].join('\n')
        for (const quoted of [canary, 'canary47', 'Failing row', 'refused:', 'insert into', 'invalid input'])
          expect(everything).not.toContain(quoted)
        if (fails) expect(logged).toContain('"outcome":"failed"')
      })
    }
  }
})
