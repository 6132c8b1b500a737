// A program whose changes are read: a front end of its own, short ways to change its applications, and what its feed says.

import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import type { ChangesPage, Change as SentChange } from '../../../src/core/export/changes/change-feed.ts'
import type { Sql } from '../../../src/db/client.ts'
import { ExportClient, type ExportedApplication } from '../../support/export-client.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'

export type Change = SentChange & { application?: ExportedApplication }

export type Feed = Omit<ChangesPage, 'payload'> & { payload: Change[] }

export type Followed = Awaited<ReturnType<typeof aFollowedProgram>>

let programs = 0

export async function aFollowedProgram(sql: Sql, service: TestService) {
  const slug = `followed-${++programs}`
  const questions = [q.text('words'), q.text('secret', { optional: true }), q.enumerator('members', [q.text('job')])]
  const { program_id } = await aProgram(sql, { slug, statuses: ['Received', 'Approved'], questions })
  const key = await createTestKey(sql, { programs: [slug], mayExport: true, maySubmit: true })
  const path = `/api/v1/admin/programs/${slug}/changes`
  const request = (query: Record<string, string> = {}, init: RequestInit = {}, by = key): Promise<Response> =>
    service.get(`${path}?${new URLSearchParams(query)}`, {
      ...init,
      headers: { Authorization: by.authorization, ...(init.headers as Record<string, string>) },
    })
  const read = async (query: Record<string, string> = {}, init?: RequestInit, by = key): Promise<Feed> => {
    const response = await request(query, init, by)
    const text = await response.text()
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`)
    return JSON.parse(text) as Feed
  }
  return {
    slug,
    questions,
    program_id,
    key,
    path,
    request,
    read,
    /** With the applications. */
    readWhole: (query: Record<string, string> = {}, by = key) => read({ include: 'application', ...query }, {}, by),
    frontEnd: new FrontEnd(service, key, slug),
    client: new ExportClient(service, key, slug),
    answers: {
      words: { text: 'as it was, "quoted"\n' },
      members: { entities: [{ entity_name: 'Ada', job: { text: 'x' } }] },
    },
    annotate: (application_id: number, change: { status?: string | null; note?: string | null }) =>
      annotate(sql, {
        program_id,
        application_id,
        ...change,
        actor: 'admin:ada@city.example',
        now: Date.now() * 1000,
        timeZone: service.config.timeZone,
      }),
    erase: (application_id: number) =>
      eraseApplication(sql, { program_id, application_id }, { actor: 'operator:test', reason: undefined }),
  }
}
