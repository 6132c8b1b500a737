// The units of deploy/systemd: what systemd itself says of them, and that they fit the settings and the way processes stop.

import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { settings } from '../../src/config/all-settings.ts'
import { parseDuration } from '../../src/config/kinds/durations.ts'
import { healthPorts } from '../../src/config/listening-settings.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'

/** As OPERATIONS.md says. */
const filesFolder = '/var/lib/tributary-files'
const folder = join(import.meta.dir, '../../deploy/systemd')
const units = readdirSync(folder).sort()
const services = units.filter(name => name.endsWith('.service'))
const textOf = (name: string): Promise<string> => Bun.file(join(folder, name)).text()

/** Every value of a directive, in order. */
const valuesOf = (text: string, directive: string): string[] =>
  [...text.matchAll(new RegExp(`^${directive}=(.*)$`, 'gm'))].map(found => found[1]!)

describe.each(services)('%s', name => {
  test('has only known settings, and names exactly the credential files that it receives', async () => {
    const text = await textOf(name)
    const names = Object.values(settings).map(setting => setting.name as string)
    const variables = valuesOf(text, 'Environment').flatMap(line => line.split(' '))
    const credentials = valuesOf(text, 'LoadCredential').map(line => line.split(':')[0]!)
    for (const variable of variables) expect(names).toContain(variable.split('=')[0]!.replace(/_FILE$/, ''))
    const files = variables
      .filter(variable => variable.includes('_FILE=%d/'))
      .map(variable => variable.split('%d/')[1]!)
    expect(files.sort()).toEqual(credentials.sort())
  })

  test("has bounded memory, and the service's secrets only if it is the service", async () => {
    const text = await textOf(name)
    expect(valuesOf(text, 'MemoryMax')).toHaveLength(1)
    const secrets = ['page_token_keys', 'api_key_pepper'].filter(secret => text.toLowerCase().includes(secret))
    expect(secrets).toEqual(name === 'tributary@.service' ? ['page_token_keys', 'api_key_pepper'] : [])
    // Each connection is one.
    if (name === 'tributary@.service') expect(valuesOf(text, 'LimitNOFILE')).toEqual(['65536'])
  })

  test('has enough time to drain when it stops, and signals only its main process', async () => {
    const text = await textOf(name)
    if (valuesOf(text, 'Type')[0] === 'oneshot') return expect(valuesOf(text, 'TimeoutStartSec')).toEqual(['infinity'])
    const drain = /DRAIN_TIMEOUT=(\S+)/.exec(text)?.[1] ?? settings.drainTimeoutMs.default!
    expect(parseDuration(valuesOf(text, 'TimeoutStopSec')[0]!)).toBeGreaterThanOrEqual(parseDuration(drain)! + 10_000)
    expect(valuesOf(text, 'KillMode')).toEqual(['mixed'])
    expect(valuesOf(text, 'KillSignal')).toEqual(['SIGTERM'])
  })
})

test('two instances and a worker have different health ports, which Prometheus scrapes', async () => {
  const text = await textOf('tributary@.service')
  const secrets = { DATABASE_URL: 'postgres://a@b/c', PAGE_TOKEN_KEYS: Buffer.alloc(32, 1).toString('base64') }
  const instances = [1, 2].map(i => {
    const lines = valuesOf(text, 'Environment').flatMap(line => line.replaceAll('%i', String(i)).split(' '))
    const given = Object.fromEntries(lines.map(line => line.split('=')).filter(([key]) => !key!.endsWith('_FILE')))
    return loadConfig({ ...secrets, API_KEY_PEPPER: 'Zk3J9vXq2LmZ8wR5tYb7NcD4fGhP6sUaE1iOx', ...given })
  })
  expect(instances.every(config => config.reusePort)).toBe(true)
  const ports = [...instances.map(config => config.healthPort), healthPorts.worker]
  expect(new Set(ports).size).toBe(3)
  const scrape = Bun.YAML.parse(await Bun.file(join(folder, '../prometheus/scrape.yaml')).text()) as {
    scrape_configs: { static_configs: { targets: string[] }[] }[]
  }
  const reported = scrape.scrape_configs.flatMap(job => job.static_configs.flatMap(({ targets }) => targets))
  expect(reported).toEqual(ports.map(port => `127.0.0.1:${port}`))
})

test('service and worker run as the same user, and only they share a folder for uploaded files', async () => {
  const texts = await Promise.all(services.map(textOf))
  const sharing = services.filter((_, i) => valuesOf(texts[i]!, 'StateDirectory').includes(basename(filesFolder)))
  expect(sharing).toEqual(['tributary-worker.service', 'tributary@.service'])
  for (const name of sharing) {
    const text = await textOf(name)
    expect(['DynamicUser', 'User', 'StateDirectoryMode', 'UMask'].map(directive => valuesOf(text, directive))).toEqual([
      ['yes'],
      ['tributary'],
      ['0700'],
      ['0077'],
    ])
  }
})

describe.skipIf(!needs('systemd'))('systemd', () => {
  test('accepts the units', async () => {
    const placed = await useFolder()
    // The binary is not installed here; another program stands in its place.
    for (const name of units)
      await Bun.write(join(placed, name), (await textOf(name)).replaceAll('/usr/local/bin/tributary', process.execPath))
    const verified = Bun.spawnSync(['systemd-analyze', 'verify', ...units.map(name => join(placed, name))])
    expect([verified.stderr.toString(), verified.exitCode]).toEqual(['', 0])
  })

  test.each(services)('rates the exposure of %s at most 1.3 of 10', async name => {
    const placed = await useFolder()
    await Bun.write(join(placed, name), await textOf(name))
    const judged = Bun.spawnSync(
      ['systemd-analyze', 'security', '--offline=true', '--no-pager', '--threshold=13', join(placed, name)],
      { env: { ...process.env, SYSTEMD_COLORS: '0' } },
    )
    expect([judged.stdout.toString().split('\n').at(-2), judged.exitCode]).toEqual([
      expect.stringMatching(/exposure level .*: [01]\.\d /),
      0,
    ])
  })
})
