// The last step of a pull, which may be interrupted after any file and done again.

import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangesPage } from '../../../src/clients/client/client-results.ts'
import { folderFormat } from '../../../src/clients/pull/formats/folder-format.ts'
import type { FollowJob, FormatJob } from '../../../src/clients/pull/spool/output-format.ts'
import { placeFiles } from '../../../src/clients/pull/spool/place-files.ts'
import type { PullOrigin } from '../../../src/clients/pull/spool/pulled-before.ts'
import { useFolder } from '../../support/fixtures.ts'

const folder = await useFolder()
const ready = (name: string, text: string) => {
  const from = join(folder, `${name}.ready`)
  writeFileSync(from, text)
  return { from, to: join(folder, name), bytes: text.length }
}

test('files get their names, even if some already have them from an earlier attempt', () => {
  const [item, other] = [ready('one', 'first'), ready('other', 'second')]
  placeFiles([item])
  placeFiles([item, other])
  expect([readFileSync(item.to, 'utf8'), readFileSync(other.to, 'utf8')]).toEqual(['first', 'second'])
  expect([existsSync(item.from), existsSync(other.from)]).toEqual([false, false])
})

test('a missing file is an error, even if another file has its name', () => {
  const gone = { from: join(folder, 'gone.ready'), to: join(folder, 'gone'), bytes: 5 }
  expect(() => placeFiles([gone])).toThrow(gone.from)
  writeFileSync(gone.to, 'of before')
  expect(() => placeFiles([gone])).toThrow(gone.from)
  expect(readFileSync(gone.to, 'utf8')).toBe('of before')
})

const origin = { program: 'a-program' } as PullOrigin

/** Fills a folder with these applications, one a line, as a pull that leaves this cursor. */
function fillFolder(
  into: string,
  lines: readonly string[],
  followsFrom: string,
  signal = new AbortController().signal,
) {
  const { from: spoolPath } = ready('spool', lines.map(line => `${line}\n`).join(''))
  const then = { origin, followsFrom }
  return folderFormat(into).prepare({ spoolPath, then, context: { signal } } as unknown as FormatJob)
}

test('a partly filled folder cannot be followed, even if it was followed before', async () => {
  const into = await useFolder()
  const format = folderFormat(into)
  const fill = (signal?: AbortSignal) => fillFolder(into, ['{"application_id":1}'], 'a cursor', signal)
  const followsFrom = async () => (await format.readDone!(origin))!.followsFrom
  await fill()
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

test('a file that cannot be written into a folder fails the pull after the files begun with it are written', async () => {
  const into = await useFolder()
  const lines = Array.from({ length: 64 }, (_, i) => `{"application_id":${i + 1},"words":"${'x'.repeat(10_000)}"}`)
  const fill = () => fillFolder(into, lines, 'a cursor')
  mkdirSync(join(into, '1.json.next'))
  await expect(fill()).rejects.toMatchObject({ cause: { code: 'EISDIR' }, message: expect.stringContaining(into) })
  const written = () => readdirSync(into).filter(name => /^\d/.test(name))
  const others = lines.slice(1).map((_, i) => `${i + 2}.json`)
  expect(written().sort()).toEqual(['1.json.next', ...others].sort())
  rmdirSync(join(into, '1.json.next'))
  await fill()
  expect(written().sort()).toEqual(['1.json', ...others].sort())
})

test('the leftovers of an interrupted write are removed from a folder by the next pull, and before following', async () => {
  const into = await useFolder()
  const leave = () => {
    for (const id of [1, 3]) writeFileSync(join(into, `${id}.json.next`), '{"application_')
  }
  const whole = ['.tributary.json', '1.json', '2.json']
  leave()
  await fillFolder(into, ['{"application_id":1}', '{"application_id":2}'], 'a cursor')
  expect(readdirSync(into).sort()).toEqual(whole)
  leave()
  await folderFormat(into).follow!({} as FollowJob)
  expect(readdirSync(into).sort()).toEqual(whole)
})
