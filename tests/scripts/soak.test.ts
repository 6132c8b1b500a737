// A short soak: every kind of fault once, under load, and nothing lost. And that a soak would notice if something were.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { exitCode } from '../../scripts/command-line/environment.ts'
import { checkStored, checkViews } from '../../scripts/soaking/final-checks.ts'
import { faults } from '../../scripts/soaking/inflictions.ts'
import { type Installation, startInstallation } from '../../scripts/soaking/installation/installation.ts'
import { checkChanges } from '../../scripts/soaking/seen/comparisons.ts'
import { type Annotation, Ledger } from '../../scripts/soaking/seen/ledger.ts'
import { everyView, viewFaults } from '../../scripts/soaking/seen/views.ts'
import type { WalkedPage } from '../../scripts/soaking/seen/walk-promises.ts'
import { conclude, soak } from '../../scripts/soaking/soak.ts'
import { needs } from '../support/needs.ts'
import { run } from '../support/run.ts'
import { sabotage, sabotages } from '../support/sabotages.ts'

const runSoak = (...args: string[]) =>
  run([process.execPath, join(import.meta.dir, '../../scripts/soaking/main.ts'), ...args], {
    env: { PATH: process.env.PATH },
  })

describe.skipIf(!needs('redis', 'faketime'))('scripts/soak', () => {
  test('G1 to G9, G12 to G14: every kind of fault under load loses no acknowledged submission, breaks no walk, and ends without help', async () => {
    const { out, err, code } = await runSoak('--minutes', '0.1', '--writers', '4')
    expect({ out, err, code }).toMatchObject({ code: 0, out: expect.not.stringContaining('BROKEN') })
    for (const { name } of faults) expect(out).toMatch(new RegExp(`${name} +(1 +[\\d.]+ s|0 +not tried: only root)`))
    expect(Number(/(\d+) submissions acknowledged/.exec(out)?.[1])).toBeGreaterThan(20)
    expect(Number(/(\d+) versions published/.exec(out)?.[1])).toBeGreaterThan(3)
  }, 240_000)
})

describe('a soak test detects', () => {
  let installation: Installation
  let result: Awaited<ReturnType<typeof soak>>
  let brokenWhileSoaking: string[]
  beforeAll(async () => {
    installation = await startInstallation()
    result = await soak(installation, { minutes: 0.1, writers: 2, seed: 1, wanted: [] })
    brokenWhileSoaking = [...result.soaked.ledger.broken]
  }, 120_000)
  afterAll(async () => {
    await result.stop()
    await installation.stop()
  }, 60_000)

  /** How a soak would end that compared now. */
  async function endNow(): Promise<{ code: number; broken: string[] }> {
    const { soaked } = result
    soaked.ledger.broken.length = 0
    installation.complaints.length = 0
    const now = { ...soaked, keys: soaked.keys.slice(0, 1), restMs: 2000 }
    await checkStored(now)
    await checkViews(now)
    const { broken } = soaked.ledger
    return { code: await exitCode(async () => conclude(soaked.ledger)), broken }
  }

  test('no errors if nothing was tampered with', async () => {
    expect(brokenWhileSoaking).toEqual([])
    expect(result.soaked.ledger.erased.size).toBeGreaterThan(0)
    expect(await endNow()).toEqual({ code: 0, broken: [] })
  }, 60_000)
  for (const item of sabotages)
    test(`${item.name}, and exits with 1`, async () => {
      const undo = await sabotage(result.soaked, item)
      const { code, broken } = await endNow()
      await undo()
      expect({ code, broken: broken.length > 0 }).toEqual({ code: 1, broken: true })
    }, 60_000)
  test('no errors after everything was undone', async () => {
    expect(await endNow()).toEqual({ code: 0, broken: [] })
  }, 60_000)
})

describe('the check of a page', () => {
  const [everything, town] = everyView([{ authorization: '', seesLess: true }])
  const page = (...questions: string[]): WalkedPage => ({
    applications: [{ id: 1, applicantId: 2, state: 'CURRENT', questions, digest: 0, fields: {} }],
    token: null,
  })
  test('accepts a page with the requested questions', () => {
    expect(viewFaults(everything!, page('soaked_members', 'soaked_town'), 'soaked_members')).toEqual([])
    expect(viewFaults(town!, page('soaked_town'), 'soaked_town')).toEqual([])
  })
  test('detects hidden questions, at the top level and within lists', () => {
    expect(viewFaults(everything!, page('soaked_words'), 'soaked_words soaked_name').length).toBe(2)
  })
  test('detects questions that were not requested, and missing ones', () => {
    expect(viewFaults(town!, page('soaked_town', 'soaked_extra'), '').length).toBe(1)
    expect(viewFaults(town!, page(), '').length).toBe(1)
  })
})

test('an unknown fault or an invalid number of minutes is reported', async () => {
  expect(await runSoak('--only', 'plague')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no fault "plague"'),
  })
  expect(await runSoak('--minutes', 'soon')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--minutes must be'),
  })
})

describe('the check of the change feed', () => {
  const given: Annotation = { note: 'a', status: 'Received', time: '', isSure: true }
  const reported = (followed: Ledger['followed'], there: number[], annotations: [number, Annotation[]][] = []) => {
    const ledger = new Ledger()
    ledger.followed.push(...followed)
    for (const [id, made] of annotations) ledger.annotations.set(id, made)
    checkChanges(ledger, there)
    return ledger.broken
  }
  const submitted = (change: number, application_id: number) => ({ change, kind: 'submitted', application_id })
  const annotated = (change: number, application_id: number, status = 'Received') => [
    { change, kind: 'status', application_id, status },
    { change, kind: 'note', application_id, application_note: 'a' },
  ]

  test('accepts a complete feed', () => {
    expect(reported([submitted(1, 10), ...annotated(2, 10), submitted(3, 11)], [10, 11], [[10, [given]]])).toEqual([])
  })
  test.each<[string, Ledger['followed'], number[], [number, Annotation[]][]]>([
    ['a repeated change', [submitted(1, 10), submitted(1, 10)], [10], []],
    ['a change out of order', [submitted(2, 11), submitted(1, 10)], [10, 11], []],
    ['a missing submission', [submitted(1, 10)], [10, 11], []],
    ['a missing status', [submitted(1, 10), annotated(2, 10)[1]!], [10], [[10, [given]]]],
    ['a missing note', [submitted(1, 10), annotated(2, 10)[0]!], [10], [[10, [given]]]],
    ['a different status', [submitted(1, 10), ...annotated(2, 10, 'Approved')], [10], [[10, [given]]]],
  ])('detects %s', (_, followed, there, made) => {
    expect(reported(followed, there, made).length).toBe(1)
  })
})
