// What README tells a client to do, done as it stands there.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { useExport, useFolder } from './support/fixtures.ts'
import { pathWithJq } from './support/jq.ts'
import { needs } from './support/needs.ts'
import { outputOf } from './support/run.ts'

const address = 'http://127.0.0.1:8080/api/v1/admin/programs/utility-assistance/applications'
const { service, key, ids } = await useExport({
  slug: 'utility-assistance',
  applications: 53,
  textOf: i => `“answer” ${i}\n\\ \u0000`,
  config: { maxPageSize: 10 },
})
const folder = await useFolder()
const environment = {
  PATH: await pathWithJq(folder),
  TRIBUTARY_USERNAME: key.username,
  TRIBUTARY_PASSWORD: key.password,
}
const readme = await Bun.file(join(import.meta.dir, '../README.md')).text()
const shellExamples = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(match => match[1]!)

/** Runs the example in README that holds all of these words, against this service. */
async function example(...words: string[]): Promise<string> {
  const found = shellExamples.find(text => words.every(word => text.includes(word)))
  expect(found).toContain(address)
  const script = found!.replaceAll(address, address.replace('http://127.0.0.1:8080', service.baseUrl))
  // curl draws its progress on standard error, so that it is shown only where something failed.
  return outputOf(['sh', '-eu', '-c', script], { cwd: folder, env: environment })
}

describe.skipIf(!needs('curl'))('README', () => {
  test('the curl line pulls a page', async () => {
    const { payload } = JSON.parse(await example('curl -u', 'pageSize=500')) as { payload: unknown[] }
    expect(payload).toHaveLength(10)
  })

  test('the shell loop pulls all pages: every application once, in order', async () => {
    await example('while', 'jq')
    const lines = (await Bun.file(join(folder, 'applications.ndjson')).text()).trimEnd().split('\n')
    expect(lines.map(line => (JSON.parse(line) as { application_id: number }).application_id)).toEqual(ids)
  })
})
