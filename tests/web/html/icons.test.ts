import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { iconFile } from '../../../scripts/releasing/make-icons.ts'

test('the icons are those of the installed package', async () => {
  expect(await Bun.file(join(import.meta.dir, '../../../src/web/html/icon-paths.ts')).text()).toBe(iconFile())
})
