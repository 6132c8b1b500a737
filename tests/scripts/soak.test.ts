// A short soak: every kind of fault once, under load, and nothing lost. And that a soak would notice if something were.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Ledger } from '../../scripts/soaking/actors.ts'
import { checkChanges } from '../../scripts/soaking/final-checks.ts'
import { faults } from '../../scripts/soaking/inflictions.ts'
import { everyView, viewFaults } from '../../scripts/soaking/views.ts'
import type { WalkedPage } from '../../workers/walk-promises.ts'
import { needs } from '../support/needs.ts'
import { run } from '../support/run.ts'

const soak = (...args: string[]) =>
  run([process.execPath, join(import.meta.dir, '../../scripts/soaking/main.ts'), ...args], {
    env: { PATH: process.env.PATH },
  })

describe.skipIf(!needs('redis', 'faketime'))('scripts/soak', () => {
  test('G1 to G9, G12 to G14: every kind of fault under load, and every acknowledged submission is there, no walk misses or repeats, no partial page parses, all is back without help', async () => {
    const { out, err, code } = await soak('--minutes', '0.1', '--writers', '4')
    expect({ out, err, code }).toMatchObject({ code: 0, out: expect.stringContaining('Every promise was kept.') })
    for (const { name } of faults) expect(out).toMatch(new RegExp(`${name} +(1 +[\\d.]+ s|0 +not tried: only root)`))
    expect(Number(/(\d+) submissions acknowledged/.exec(out)?.[1])).toBeGreaterThan(20)
    expect(Number(/(\d+) versions published/.exec(out)?.[1])).toBeGreaterThan(3)
  }, 240_000)
})

describe('the view of a walk notices', () => {
  const [everything, town] = everyView([{ authorization: '', seesLess: true }])
  const page = (...questions: string[]): WalkedPage => ({
    applications: [{ id: 1, applicantId: 2, state: 'CURRENT', questions, digest: 0 }],
    token: null,
  })
  test('nothing, when a page is as it was asked for', () => {
    expect(viewFaults(everything!, page('soaked_members', 'soaked_town'), 'soaked_members')).toEqual([])
    expect(viewFaults(town!, page('soaked_town'), 'soaked_town')).toEqual([])
  })
  test('of questions that are hidden, at the top and within others', () => {
    expect(viewFaults(everything!, page('soaked_words'), 'soaked_words soaked_name').length).toBe(2)
  })
  test('of questions that were not asked for, and of those that are missing', () => {
    expect(viewFaults(town!, page('soaked_town', 'soaked_extra'), '').length).toBe(1)
    expect(viewFaults(town!, page(), '').length).toBe(1)
  })
})

test('a fault that there is not, and a number that is none, are named', async () => {
  expect(await soak('--only', 'plague')).toMatchObject({ code: 2, err: expect.stringContaining('no fault "plague"') })
  expect(await soak('--minutes', 'soon')).toMatchObject({ code: 2, err: expect.stringContaining('--minutes must be') })
})

describe('the check of the changes notices', () => {
  const reported = (followed: Ledger['followed'], there: number[], annotated: [number, number][] = []): string[] => {
    const ledger = new Ledger()
    ledger.followed.push(...followed)
    for (const [id, times] of annotated) ledger.annotated.set(id, times)
    checkChanges(ledger, there)
    return ledger.broken
  }
  const submitted = (change: number, application_id: number) => ({ change, kind: 'submitted', application_id })
  const status = (change: number, application_id: number) => ({ change, kind: 'status', application_id })

  test('nothing, when all is as it should be', () => {
    expect(reported([submitted(1, 10), status(2, 10), submitted(3, 11)], [10, 11], [[10, 1]])).toEqual([])
  })
  test.each<[string, Ledger['followed'], number[], [number, number][]]>([
    ['what came twice', [submitted(1, 10), submitted(1, 10)], [10], []],
    ['what came out of order', [submitted(2, 11), submitted(1, 10)], [10, 11], []],
    ['what did not come', [submitted(1, 10)], [10, 11], []],
    ['a status that did not come', [submitted(1, 10)], [10], [[10, 1]]],
  ])('%s', (_, followed, there, annotated) => {
    expect(reported(followed, there, annotated).length).toBe(1)
  })
})
