// The publish walk from end to end, with the real handlers, on every store a queue can be in (contract G12).

import { afterEach, describe, expect, test } from 'bun:test'
import { docsCodeVersion } from '../../src/core/derived/program-docs.ts'
import { KeyMaps, keyMapCodeVersion } from '../../src/core/derived/program-key-map.ts'
import { sweepDerived } from '../../src/core/derived/sweep.ts'
import { readWalkStart } from '../../src/db/walks/walk-start.ts'
import { handlers } from '../../workers/handlers.ts'
import { computedKeyMap } from '../support/computed-key-map.ts'
import { testConfig } from '../support/config.ts'
import { ExportClient } from '../support/export-client.ts'
import { useService } from '../support/fixtures.ts'
import { FrontEnd } from '../support/front-end.ts'
import { createTestKey } from '../support/keys.ts'
import { needs } from '../support/needs.ts'
import { aDraft, aComputedProgram as aProgram, everyKind, q } from '../support/programs.ts'
import type { StoreName } from '../support/queue.ts'
import { readDerivedStatus, useQueue } from '../support/queue.ts'
import { until } from '../support/until.ts'

const timeZone = 'UTC'

const stores: StoreName[] = needs('redis') ? ['postgres', 'redis'] : ['postgres']

for (const store of stores) {
  const queue = await useQueue(store)
  describe(`derived data, with the queue in ${store}`, () => {
    afterEach(() => queue.reset())

    const work = () =>
      queue.work(
        handlers({
          db: queue.sql,
          config: testConfig({ timeZone }),
          attempted: () => {},
          now: () => Date.now() * 1000,
        }),
      )
    const newestKeyMap = async (programId: number) =>
      new KeyMaps().load(queue.sql, programId, (await readWalkStart(queue.sql, programId)).last_published_at!)
    const statesOf = async (versionId: number) =>
      Object.fromEntries((await readDerivedStatus(queue.sql, versionId)).map(row => [row.job_name, row.state]))
    const allDone = (versionId: number) => async () => {
      const states = await statesOf(versionId)
      return states['refresh-key-map'] === 'done' && states['refresh-docs-example'] === 'done'
    }

    test('publishing generates key map and docs, each with the version and code that produced it', async () => {
      await queue.relay()
      await work()
      const program = await aProgram(queue.sql, { questions: everyKind })
      await until('both jobs to be done', allDone(program.program_version_id))
      for (const [table, job_name, code_version] of [
        ['program_key_map', 'refresh-key-map', keyMapCodeVersion],
        ['docs_example', 'refresh-docs-example', docsCodeVersion],
      ] as const) {
        const made = await queue.sql`
          select made.code_version, made.duration_ms, run.code_version as of_run
          from ${queue.sql(table)} made
          join derived_status run using (program_version_id)
          where program_version_id = ${program.program_version_id} and job_name = ${job_name}`
        expect([...made]).toEqual([{ code_version, duration_ms: expect.any(Number), of_run: code_version }])
      }
      // What is kept is what would be computed.
      const kept = await newestKeyMap(program.program_id)
      const computed = await computedKeyMap(queue.sql, program.program_id)
      expect(kept.keyMap).toEqual(computed.keyMap)
      expect([...kept.fills]).toEqual([...computed.fills])
    })

    test('G12: while store, relay and workers are down, publishing succeeds and exports are complete, and afterwards everything missing is generated automatically', async () => {
      await queue.connect()
      await queue.takeAway()
      const slug = `away-${store}`
      const service = await useService(queue.database)
      await aProgram(queue.sql, { slug, questions: [q.text(`first ${store}`, { optional: true })] })
      const key = await createTestKey(queue.sql, { programs: [slug], maySubmit: true })
      const desk = new FrontEnd(service, key, slug)
      await desk.apply(await desk.register(), { [`first_${store}`]: { text: 'a' } })
      const second = await aProgram(queue.sql, { slug, questions: [q.number(`second ${store}`, { optional: true })] })
      const [application] = await new ExportClient(service, key, slug).walkAll()
      expect(application!.application).toEqual({
        [`first_${store}`]: { question_type: 'TEXT', text: 'a' },
        [`second_${store}`]: { question_type: 'NUMBER', number: null },
      })
      const docs = await service.get(`/docs/api/programs/${slug}`, {
        headers: { Authorization: key.authorization, Accept: 'application/json' },
      })
      expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining(`second_${store}`)])
      expect(await statesOf(second.program_version_id)).toEqual({
        'refresh-key-map': 'queued',
        'refresh-docs-example': 'queued',
      })
      await queue.bringBack()
      await queue.relay()
      await work()
      await until('what was missing to be made', allDone(second.program_version_id))
    })

    test('the sweep requests exactly what is missing, stale or stuck', async () => {
      await queue.relay()
      await work()
      const program = await aProgram(queue.sql, { questions: [q.text(`swept ${store}`)] })
      const id = program.program_version_id
      const draft = await aDraft(queue.sql, { slug: program.slug, questions: [q.text(`drafted ${store}`)] })
      const ids = [id, draft.program_version_id]
      const draftDone = async () => (await statesOf(ids[1]!))['refresh-docs-example'] === 'done'
      await until('both jobs to be done', allDone(id))
      await until('the docs of the draft', draftDone)
      const mine = async (options?: { overdueMs: number }) =>
        (await sweepDerived(queue.sql, options))
          .filter(thing => ids.includes(thing.program_version_id))
          .map(thing => thing.job_name)
      expect(await mine()).toEqual([])
      await queue.sql`delete from program_key_map where program_version_id = ${id}`
      await queue.sql`update docs_example set code_version = code_version - 1 where program_version_id in ${queue.sql(ids)}`
      const docs = 'refresh-docs-example'
      expect((await mine()).sort()).toEqual([docs, docs, 'refresh-key-map'])
      await until('both to be made again', allDone(id))
      await until('the docs of the draft again', draftDone)
      expect((await queue.sql`select 1 from program_key_map where program_version_id = ${id}`).length).toBe(1)
      // On record as running, but its process is gone and the store lost the job.
      await queue.sql`
        update derived_status set state = 'running', requested = requested + 1, updated_at = now() - interval '1 hour'
        where program_version_id = ${id} and job_name = 'refresh-key-map'`
      expect(await mine({ overdueMs: 60_000 })).toEqual(['refresh-key-map'])
      await until('the stuck one to be made', allDone(id))
    })
  })
}
