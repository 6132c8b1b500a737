// What watches an installation speaks of what there is: each metric that alerts, dashboard and OPERATIONS.md name is told by the processes,
// with these labels, and each that is told is explained.

import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { useDatabase } from '../support/fixtures.ts'
import { readMetrics } from '../support/metrics.ts'
import { endProcesses, startMain, startWorker } from '../support/processes.ts'
import { aComputedProgram as aProgram } from '../support/programs.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '../..')
const read = (path: string): Promise<string> => Bun.file(join(root, path)).text()

const database = await useDatabase()
afterAll(endProcesses)
const service = await startMain(database)
const worker = await startWorker(database, { SELF_WALK_URL: 'http://127.0.0.1:1', SELF_WALK_CREDENTIAL: 'a:b' })
await aProgram(database.sql)
await until('a job to have run', async () =>
  [...(await readMetrics(worker.health)).values.keys()].some(name => name.startsWith('tributary_job_seconds')),
)
await database.sql`update derived_status set state = 'failed', last_error = 'x' where job_name = 'refresh-docs-example'`
const readings = [await readMetrics(service.health), await readMetrics(worker.health)]
const told = new Set(readings.flatMap(({ names }) => [...names]))
/** Labels that any series of a metric has; Prometheus itself adds job and instance. */
const labelsOf = (metric: string): Set<string> => {
  const series = readings.flatMap(({ values }) => [...values.keys()]).filter(name => baseOf(name) === metric)
  return new Set(['job', 'instance', ...series.flatMap(name => labelNames(name))])
}

const baseOf = (name: string): string => {
  const plain = name.replace(/\{.*/, '')
  return told.has(plain) ? plain : plain.replace(/_(bucket|count|sum)$/, '')
}
const labelNames = (selector: string): string[] =>
  [...selector.matchAll(/[{,]\s*(\w+)\s*=/g)].map(([, label]) => label!)

/** Metrics in an expression, each with the labels it is selected by. */
const selectors = (expression: string) =>
  [...expression.matchAll(/\b((?:tributary|process|bun|nodejs)_\w+)(\{[^}]*\})?/g)].map(([, name, selector = '']) => ({
    metric: baseOf(name!),
    labels: labelNames(selector),
  }))

const { groups } = Bun.YAML.parse(await read('deploy/prometheus/alerts.yaml')) as {
  groups: { rules: { alert: string; expr: string }[] }[]
}
const alerts = groups.flatMap(group => group.rules)
const dashboard = JSON.parse(await read('deploy/grafana/tributary.json')) as {
  panels: { id: number; title: string; targets?: { expr: string }[] }[]
}
const operations = await read('OPERATIONS.md')

describe('each expression names only what the processes tell', () => {
  test.each([
    ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
    ...dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }): [string, string] => [title, expr]),
    ),
  ])('%s', (_, expr) => {
    const named = selectors(expr)
    expect(named.length > 0 || expr.startsWith('up{')).toBe(true)
    for (const { metric, labels } of named) {
      expect(told).toContain(metric)
      for (const label of labels) expect(labelsOf(metric)).toContain(label)
    }
  })
})

test('the dashboard shows every metric of ours', () => {
  const shown = new Set(
    dashboard.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => selectors(expr).map(({ metric }) => metric)),
    ),
  )
  expect([...told].filter(name => !shown.has(name))).toEqual([])
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
})

describe('OPERATIONS.md', () => {
  const section = (title: string): string => operations.split(/^## /m).find(part => part.startsWith(`${title}\n`))!

  test('has a line on each metric that is told, and on no other', () => {
    const rows = [...section('Metrics').matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm)]
    expect(rows.map(([, name]) => name!).sort()).toEqual([...told].sort())
    for (const [, , meaning] of rows) expect(meaning!.length).toBeGreaterThan(15)
  })

  test('has a heading for each alert, and for no other: what it means, and what to do', () => {
    const paragraphs = section('Alerts').split(/^### /m).slice(1)
    const explained = paragraphs.map(text => text.slice(0, text.indexOf('\n')))
    expect(explained.sort()).toEqual(alerts.map(({ alert }) => alert).sort())
    for (const text of paragraphs) expect(text).toMatch(/^\w+\n\n\*[^*]+\*\s[\s\S]{40,}/)
  })
})
