// What tests/support/preload.ts sets holds in every file of a plain `bun test`, and not just in the first one.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { useFolder } from '../support/fixtures.ts'
import { run } from '../support/run.ts'

const root = join(import.meta.dir, '../..')
const folder = await useFolder()

test("without options, no test or hook in any file has Bun's default limit of 5 seconds", async () => {
  const names = ['a', 'b'].map(name => join(folder, `${name}.test.ts`))
  for (const name of names)
    await Bun.write(
      name,
      `import { beforeAll, test } from 'bun:test'
      beforeAll(() => Bun.sleep(5100))
      test('one', () => Bun.sleep(5100))`,
    )
  const { code, err } = await run([process.execPath, 'test', ...names], { cwd: root })
  expect(err).toContain(' 2 pass')
  expect(code).toBe(0)
})
