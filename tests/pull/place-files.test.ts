// The last step of a pull, which may be interrupted after any file and done again.

import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangesPage } from '../../src/client/tributary-client.ts'
import { folderFormat } from '../../src/pull/formats/folder-format.ts'
import type { FollowJob, FormatJob } from '../../src/pull/spool/output-format.ts'
import { placeFiles } from '../../src/pull/spool/place-files.ts'
import type { PullOrigin } from '../../src/pull/spool/pulled-before.ts'
import { useFolder } from '../support/fixtures.ts'

const folder = await useFolder()
const ready = (name: string, text: string) => {
  const from = join(folder, `${name}.ready`)
  writeFileSync(from, text)
  return { from, to: join(folder, name), bytes: text.length }
}

test('files get their names, also when some had them from an attempt before', () => {
  const [one, other] = [ready('one', 'first'), ready('other', 'second')]
  placeFiles([one])
  placeFiles([one, other])
  expect([readFileSync(one.to, 'utf8'), readFileSync(other.to, 'utf8')]).toEqual(['first', 'second'])
  expect([existsSync(one.from), existsSync(other.from)]).toEqual([false, false])
})

test('a file that is gone is not passed over: neither where nothing has its name, nor where something else has', () => {
  const gone = { from: join(folder, 'gone.ready'), to: join(folder, 'gone'), bytes: 5 }
  expect(() => placeFiles([gone])).toThrow(`${gone.from} is gone. Add --restart to begin again.`)
  writeFileSync(gone.to, 'of before')
  expect(() => placeFiles([gone])).toThrow(`${gone.from} is gone`)
  expect(readFileSync(gone.to, 'utf8')).toBe('of before')
})

test('a folder that was filled in part is followed from nowhere, though it was before', async () => {
  const format = folderFormat(await useFolder())
  const { from: spoolPath } = ready('spool', '{"application_id":1}\n')
  const then = { origin: {}, followsFrom: 'a cursor' }
  const fill = (signal: AbortSignal) => format.prepare({ spoolPath, then, context: { signal } } as unknown as FormatJob)
  const followsFrom = async () => (await format.readDone!(then.origin as PullOrigin))!.followsFrom
  await fill(new AbortController().signal)
  expect(await followsFrom()).toBe('a cursor')
  // What was superseded, and is gone since, is passed over.
  const page = {
    payload: [{ kind: 'superseded', application_id: 2 }],
    nextCursor: 'the next',
  } as unknown as ChangesPage
  expect(await (await format.follow!({} as FollowJob))(page, 'a cursor')).toBe(true)
  expect(await followsFrom()).toBe('the next')
  await expect(fill(AbortSignal.abort())).rejects.toThrow('aborted')
  expect(await followsFrom()).toBeUndefined()
})
