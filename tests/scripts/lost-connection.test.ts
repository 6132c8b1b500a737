// Commands whose connection to the database breaks in the middle say so in one sentence, wherever it breaks.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { passingErrors } from '../../src/base/passing-errors.ts'
import { useDatabase, useFolder } from '../support/fixtures.ts'
import { createTestKey } from '../support/keys.ts'
import { aProgram, q } from '../support/programs.ts'
import { portOf, startProxy } from '../support/proxy.ts'
import { insertRawApplications, insertRawProgram } from '../support/raw-applications.ts'
import { runScript } from './run-script.ts'

const database = await useDatabase()
await aProgram(database.sql, { slug: 'food', questions: [q.text('plain')] })
const key = await createTestKey(database.sql, { programs: ['food'] })
const [submitted] = await insertRawApplications(database.sql, await insertRawProgram(database.sql, 'rent'), 1)
const folder = await useFolder()
const shown = await runScript('program', database.url, ['show', 'food'])
await Bun.write(join(folder, 'food.json'), shown.out)

/** The words of a command, some of which change something and some only look. */
const commands: Record<string, string[]> = {
  'migrate-database': ['--roles'],
  program: ['diff', join(folder, 'food.json')],
  'manage-intake': ['pause', 'food', '--for', '1h'],
  'erase-records': ['application', 'rent', String(submitted)],
  'api-key': ['retire', key.username],
  'audit-log': ['verify'],
}

/** Ends the connection when the client has sent so many messages: with a reset, or as a server that closes it. */
async function runCut(name: string, args: string[], afterMessages: number, reset: boolean) {
  let sent = 0
  const proxy = await startProxy(portOf(database.url), ({ client, upstream }) => ({
    fromClient: bytes => {
      if (++sent < afterMessages) return void upstream.write(bytes)
      if (reset) client.resetAndDestroy()
      else client.end()
      upstream.destroy()
    },
  }))
  const ended = await runScript(name, proxy.through(database.url), args)
  await proxy.stop()
  return { ...ended, sent }
}

test.each(Object.entries(commands))(
  '%s reports a lost connection in one line, wherever it happens',
  async (name, args) => {
    const whole = await runCut(name, args, Number.POSITIVE_INFINITY, false)
    expect(whole).toMatchObject({ code: 0 })
    for (const [i, part] of [0.3, 0.5, 0.7, 0.9].entries()) {
      const { code, err } = await runCut(name, args, Math.max(2, Math.floor(whole.sent * part)), i % 2 === 0)
      expect(err.trimEnd().split('\n')).toHaveLength(1)
      // Everything may have been done, and only closing the connection failed.
      if (code !== 0)
        expect([code, passingErrors.find(passingError => err.endsWith(` [${passingError.code}]\n`))]).toEqual([
          1,
          expect.anything(),
        ])
    }
  },
  60_000,
)

test('an unreachable CiviForm database is reported with the name of its setting', async () => {
  const elsewhere = { CIVIFORM_DATABASE_URL: 'postgres://reader@127.0.0.1:1/civiform' }
  const { code, err } = await runScript('civiform', database.url, ['check'], '', elsewhere)
  expect([code, err]).toEqual([1, expect.stringContaining('CIVIFORM_DATABASE_URL')])
})
