// That making the system forget a file leaves the file alone.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ChildProcesses } from '../../scripts/benchmark/child-processes.ts'
import { forgetFiles, readingSpeeds } from '../../scripts/benchmark/page-cache.ts'

describe.if(process.platform === 'linux')('forgetting files', () => {
  const children = new ChildProcesses()
  const bytes = randomBytes(1024 * 1024)
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp('/var/tmp/tributary-forgotten-')
  })
  afterAll(async () => {
    await children.stopAll()
    await rm(folder, { recursive: true })
  })

  test('they hold what they held, whatever was not written back yet', async () => {
    await Bun.write(join(folder, 'deep/large'), bytes)
    await Bun.write(join(folder, 'small'), 'small')
    const forgotten = await forgetFiles(children, folder)
    expect(forgotten.bytes).toBe(bytes.length)
    expect(Buffer.from(await Bun.file(join(folder, 'deep/large')).bytes()).equals(bytes)).toBe(true)
    expect(await Bun.file(join(folder, 'small')).text()).toBe('small')
    await readingSpeeds(children, folder)
    expect(Buffer.from(await Bun.file(join(folder, 'deep/large')).bytes()).equals(bytes)).toBe(true)
  })
})
