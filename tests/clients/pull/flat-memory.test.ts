import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { useExport, useFolder } from '../../support/fixtures.ts'
import { insertRawApplications } from '../../support/raw-applications.ts'
import { endOf } from '../../support/run.ts'
import { residentMaxOf, startTool } from '../../support/tributary-tool.ts'

const megabyte = 1024 * 1024

test('a pull of 160 megabytes needs no more memory than a pull of two', async () => {
  const textOf = (): string => 'x'.repeat(20_000)
  const { service, key, slug, sql, program } = await useExport({ applications: 80, textOf })
  const folder = await useFolder()
  const pull = async (name: string) => {
    const out = join(folder, name)
    const child = startTool(key, ['pull', service.baseUrl, '--program', slug, '--out', out, '--page-size', '100'])
    const [residentBytes, { code, err }] = await Promise.all([residentMaxOf(child), endOf(child)])
    expect({ code, err }).toMatchObject({ code: 0 })
    return { size: statSync(out).size, residentBytes }
  }
  const small = await pull('small.ndjson')
  for (let n = 0; n < 10; n++) await insertRawApplications(sql, program, 800, textOf)
  const large = await pull('large.ndjson')
  expect(small.size).toBeLessThan(2 * megabyte)
  expect(large.size).toBeGreaterThan(155 * megabyte)
  // A page is two megabytes here. Some of them are in memory at once, and many more until the runtime collects what is read: 30 to 80
  // megabytes were seen. A pull that kept what it reads would need 160 and more.
  expect(small.residentBytes).toBeGreaterThan(30 * megabyte)
  expect(large.residentBytes - small.residentBytes).toBeLessThan(110 * megabyte)
})
