// What `tributary pull` says in each format when its output cannot be written, and that the same command continues once it can.

import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { callTool, runTool } from '../../support/tributary-tool.ts'

const slug = 'utility-assistance'
const { sql, ...database } = await useDatabase()
const now = Date.UTC(2026, 0, 31) * 1000
await seedPrograms(sql, { programs: [{ slug, applications: 60 }], now, timeZone: 'UTC', actor: 'test' })
const service = await useService({ ...database, sql })
const key = await createTestKey(sql, { programs: [slug] })

const argsOf = (out: string): string[] => ['pull', service.baseUrl, '--program', slug, '--out', out]
const pull = (out: string) => callTool(key, argsOf(out))
/** Once what stood in the way is gone, the same command makes all of it. */
async function expectToContinue(out: string): Promise<void> {
  expect(await pull(out)).toMatchObject({ code: 0 })
  expect(await callTool(key, ['verify', out])).toMatchObject({ code: 0 })
}

/** Files that are written alongside their places: in each format, and of a table of entities. */
const written = [
  'apps.csv',
  'apps.household_members.csv',
  'apps.parquet',
  'apps.household_members.parquet',
  'apps.xlsx',
  'apps.zip',
]
const outOf = (file: string): string => file.replace('.household_members', '')

test.each(written)('a full disk while writing %s is reported, and the next run completes the pull', async file => {
  const folder = await useFolder()
  const out = join(folder, outOf(file))
  const part = join(folder, `${file}.part`)
  symlinkSync('/dev/full', part)
  const { code, err } = await pull(out)
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/\[ENOSPC\]\n$/) })
  expect(err).toContain(basename(part))
  expect(existsSync(out)).toBe(false)
  rmSync(part)
  await expectToContinue(out)
})

test.each(['apps.ndjson', 'apps.csv', 'apps.parquet', 'apps.xlsx', 'apps.zip', 'apps/'])(
  'a file size limit that a pull into %s exceeds is reported, and the next run completes the pull',
  async name => {
    const out = join(await useFolder(), name)
    // Blocks of 512 bytes: the state fits, and the applications do not.
    const tool = [process.execPath, 'scripts/tributary.ts']
    const limited = ['sh', '-c', `trap '' XFSZ; ulimit -f 160; exec "$@"`, 'sh', ...tool]
    const { code, err } = await runTool(key, argsOf(out), limited)
    expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/\[EFBIG\]\n$/) })
    expect(err).toContain('.part')
    await expectToContinue(out)
  },
)

describe('a folder in place of a file is reported, and the pull completes after its removal', () => {
  test.each(['apps.ndjson', 'apps.csv', 'apps.parquet', 'apps.xlsx', 'apps.zip'])(
    'a folder in place of the output %s',
    async name => {
      const out = join(await useFolder(), name)
      mkdirSync(out)
      expect(await pull(out)).toMatchObject({ code: 2, err: expect.stringContaining(out) })
      rmSync(out, { recursive: true })
      await expectToContinue(out)
    },
  )

  test.each(written.flatMap(file => (file === outOf(file) ? [`${file}.part`] : [`${file}.part`, file])))(
    'a folder in place of %s, which is written with the output',
    async name => {
      const folder = await useFolder()
      const out = join(folder, outOf(name).replace('.part', ''))
      mkdirSync(join(folder, name))
      const { code, err } = await pull(out)
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringMatching(/\[EISDIR\]\n$/) })
      expect(err).toContain(name)
      expect(existsSync(out)).toBe(false)
      rmSync(join(folder, name), { recursive: true })
      await expectToContinue(out)
    },
  )
})

test('a file in place of the output folder is reported, and the pull completes after its removal', async () => {
  const out = join(await useFolder(), 'apps')
  writeFileSync(out, 'mine')
  const { code, err } = await pull(`${out}/`)
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining(out) })
  rmSync(out)
  await expectToContinue(`${out}/`)
})
