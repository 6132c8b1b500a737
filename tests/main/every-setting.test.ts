// Every process starts with every setting of SETTINGS.md, in each form that the setting's own description has (`examples`), and as a file.
// Addresses of other servers, files and ports are replaced by some that are there.

import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort } from '../../scripts/processes/free-port.ts'
import { settings } from '../../src/config/all-settings.ts'
import type { Setting } from '../../src/config/kinds/setting.ts'
import { runScript } from '../scripts/run-script.ts'
import { testCertificate } from '../support/certificate.ts'
import { useCiviForm } from '../support/civiform/civiform-database.ts'
import { endWithTest, openedIf, useDatabase, useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { endProcesses, spawnProcess } from '../support/processes.ts'
import { useRedis } from '../support/redis.ts'

type Given = Record<string, string>

const all: readonly Setting[] = Object.values(settings)

const hasRedis = needs('redis')
const redis = await openedIf(hasRedis, () => useRedis())
const cluster = await openedIf(hasRedis, () => useRedis({ cluster: true }))
const source = await useCiviForm()
const folder = await useFolder()
for (const [name, text] of Object.entries(testCertificate)) await Bun.write(join(folder, name), text)
afterEach(endProcesses)

const programs = {
  service: 'src/main.ts',
  worker: 'workers/main.ts',
  follower: 'workers/follow-civiform.ts',
}

const names = Object.keys(programs) as (keyof typeof programs)[]
const mostExamples = Math.max(...all.map(({ parse }) => parse.examples.length))
/** Enough for every process to start with every example; those of a setting with more (the log's levels) are shared between the processes. */
const rounds = Math.ceil(mostExamples / names.length)

/** What tests set for processes and commands is not set here. */
const unset = {
  TRIBUTARY_ENV: '',
  PAGE_TOKEN_KEYS: '',
  API_KEY_PEPPER: '',
  INSTANCE_TIME_ZONE: '',
  PORT: '',
  HEALTH_PORT: '',
}

/** What stands for an example that leads to something: the same form, leading to what is there. */
function real(name: string, example: string, databaseUrl: string): string {
  if (name === 'TLS_CERT' || name === 'TLS_KEY') return join(folder, name === 'TLS_KEY' ? 'key' : 'cert')
  if (name === 'CIVIFORM_DATABASE_URL') return source.readerUrl + new URL(example).search
  // A connection may take a third longer than a statement, and on a busy machine takes more than the least there is.
  if (name === 'STATEMENT_TIMEOUT' && example.endsWith('ms')) return '5000ms'
  if (example.startsWith('postgres:')) return databaseUrl
  if (example.startsWith('redis:')) return (example.includes(',') ? cluster : redis)?.url ?? ''
  return example
}

/** What certain values need of other settings (settings-together). */
function fitting(given: Given, process: keyof typeof programs): Given {
  const changed: Given = { ...given }
  if (given.TRIBUTARY_ENV === 'development') changed.HOST = '127.0.0.1'
  // A worker and a follower write.
  if (process !== 'service') changed.EXPORT_ONLY = 'off'
  else if (given.EXPORT_ONLY === 'on') Object.assign(changed, { AUDIT_REQUIRED: 'off', LOG_LEVEL: 'info' })
  return changed
}

/** Each setting as its example of this round and process has it; the first ones follow the last. */
async function aRound(round: number): Promise<(process: keyof typeof programs) => Given> {
  const exampleOf = ({ parse: { examples } }: Setting, process: keyof typeof programs): string => {
    const i = examples.length > rounds ? round + rounds * names.indexOf(process) : round
    return examples[i % examples.length]!
  }
  const { url } = await useDatabase({ timeZone: exampleOf(settings.timeZone, 'service') }, endWithTest)
  return process =>
    Object.fromEntries(all.map(setting => [setting.name, real(setting.name, exampleOf(setting, process), url)]))
}

type HandedOver = (given: Given) => Promise<Given>
const asTheyAre: HandedOver = async given => given
const inFiles: HandedOver = async given => {
  const files = await useFolder(endWithTest)
  for (const [name, text] of Object.entries(given)) await Bun.write(join(files, name), `${text}\n`)
  return Object.fromEntries(
    Object.keys(given).flatMap(name => [
      [`${name}_FILE`, join(files, name)],
      [name, ''],
    ]),
  )
}

/** Starts a process, waits until it says that it is ready, and stops it. */
async function startAndStop(name: keyof typeof programs, given: Given): Promise<void> {
  const program = [process.execPath, join(import.meta.dir, '../..', programs[name])]
  const { child } = spawnProcess(program, { url: '' }, { ...unset, ...given })
  const said = child.stderr.text()
  const probe = await runScript('health-probe', '', [name, '--wait', '60s'], '', { ...unset, ...given })
  if (probe.code !== 0) child.kill('SIGKILL')
  expect([name, probe.code, probe.err, probe.code === 0 ? '' : await said]).toEqual([name, 0, '', ''])
  child.kill('SIGTERM')
  expect([name, await child.exited]).toEqual([name, 0])
}

async function startAll(given: (process: keyof typeof programs) => Given, handedOver: HandedOver): Promise<void> {
  const named = async (name: keyof typeof programs): Promise<Given> => {
    const ports = { PORT: String(await freePort()), HEALTH_PORT: String(await freePort()) }
    return handedOver({ ...fitting(given(name), name), ...ports })
  }
  await Promise.all(names.map(async name => startAndStop(name, await named(name))))
  const environment = { ...unset, ...(await named('worker')) }
  for (const [script, ...args] of [
    ['api-key', 'list'],
    ['civiform', 'check'],
    ['audit-log', 'verify'],
  ]) {
    const { code, err } = await runScript(script!, '', args, '', environment)
    expect([script, code, err]).toEqual([script!, 0, ''])
  }
}

describe('every process starts and stops, and commands accept the same settings', () => {
  const each = Array.from({ length: rounds }, (_, i) => i)
  test.each(each)('with example %d of every setting', async i => startAll(await aRound(i), asTheyAre), 240_000)

  test('only LOG_LEVEL has more example values than there are rounds', () => {
    const rest = all.filter(({ parse }) => parse.examples.length > rounds)
    expect(rest.map(({ name }) => name)).toEqual(['LOG_LEVEL'])
  })

  test('the service starts with every setting in a file', async () => startAll(await aRound(1), inFiles), 240_000)
})
