// A test run that is killed leaves no server behind: dozens of them, hours old, would be the price.

import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '../../scripts/processes/is-alive.ts'
import { useFolder } from '../support/fixtures.ts'
import { until } from '../support/until.ts'

const support = join(import.meta.dir, '../support')
const folder = await useFolder()

test('killing a run with SIGKILL stops its PostgreSQL and removes the data, even if another child of the run lives on', async () => {
  const file = join(folder, 'endless.test.ts')
  await Bun.write(
    file,
    `import { test } from 'bun:test'
     import { testServer } from '${support}/database.ts'
     test('runs for ever', async () => {
       const { pid, dataDirectory } = await testServer()
       const other = Bun.spawn(['sleep', '600'], { detached: true })
       await Bun.write('${folder}/about', JSON.stringify({ pid, dataDirectory, other: other.pid }))
       await new Promise(() => {})
     }, 600_000)`,
  )
  const run = Bun.spawn([process.execPath, 'test', file], { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
  type About = { pid: number; dataDirectory: string; other: number }
  const { pid, dataDirectory, other } = await until(
    'the server',
    () =>
      Bun.file(join(folder, 'about'))
        .json()
        .catch(() => undefined) as Promise<About | undefined>,
  )
  try {
    expect(isAlive(pid)).toBe(true)
    run.kill('SIGKILL')
    await run.exited
    await until('the server to end', () => !isAlive(pid))
    await until('its data to be removed', () => !existsSync(dataDirectory))
    expect(isAlive(other)).toBe(true)
  } finally {
    process.kill(other, 'SIGKILL')
  }
})
