// What an earlier release had is still there: migrations only go forward, and what is stable (EXPORT.md, SETTINGS.md, OPERATIONS.md) stays.
// `UPDATE_DUMP=1 scripts/bun test tests/upgrade` writes it down for the release that is checked out (CONTRIBUTING.md).

import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { useDatabase, useService } from '../support/fixtures.ts'
import { goldenFolder } from './golden-folder.ts'
import { readInterfaces } from './interfaces.ts'

const database = await useDatabase()
const present = await readInterfaces(database, await useService(database))
if (process.env.UPDATE_DUMP) await Bun.write(join(goldenFolder, `${version}-interfaces.txt`), `${present.join('\n')}\n`)

const kept = readdirSync(goldenFolder).filter(name => name.endsWith('-interfaces.txt'))

test.each(kept)('every statement about %s is true', async name => {
  const lines = (await Bun.file(join(goldenFolder, name)).text()).trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(1000)
  expect(lines.filter(line => !present.includes(line))).toEqual([])
})

test('dumps are of this or earlier releases, and none of a later one', () => {
  const releases = kept.map(name => name.split('-')[0]!)
  expect(releases).toContain('1.0.0')
  expect(releases.filter(release => Bun.semver.order(release, version) > 0)).toEqual([])
})
