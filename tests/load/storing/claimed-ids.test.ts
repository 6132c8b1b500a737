import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ClaimedIds } from '../../../src/load/storing/claimed-ids.ts'
import { useDatabase } from '../../support/fixtures.ts'

const { sql } = await useDatabase()
const sequence = 'applicant_applicant_id_seq'
const drawnByOthers = async (): Promise<number> => {
  const [row] = await sql<{ id: number }[]>`select nextval(${sequence}::regclass) as id`
  return row!.id
}

test('no id is both claimed and given to others, however claims, draws and gaps follow one another', async () => {
  // What is claimed together, as distances from the last id claimed: near, behind, or far ahead. A number is drawn by others.
  const distance = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: 1, max: 3000 }), fc.constant(5_000_000))
  const steps = fc.array(fc.oneof(fc.array(distance, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 8,
  })
  let refusedOnce = false
  await fc.assert(
    fc.asyncProperty(steps, async all => {
      await sql.begin(async tx => {
        const claimed = await ClaimedIds.begin(tx, sequence)
        const ours = new Set<number>()
        const others = new Set<number>()
        let at = claimed.before
        for (const step of all) {
          if (typeof step === 'number') for (let i = 0; i < step; i++) others.add(await drawnByOthers())
          else {
            const ids = new Set<number>()
            for (const further of step) {
              at = Math.max(claimed.before + 1, at + further)
              if (!ours.has(at)) ids.add(at)
            }
            const refused = new Set(await claimed.claim(tx, [...ids]))
            refusedOnce ||= refused.size > 0
            for (const id of ids) if (!refused.has(id)) ours.add(id)
          }
          expect([...ours].filter(id => others.has(id))).toEqual([])
        }
        others.add(await drawnByOthers())
        expect([...ours].filter(id => others.has(id))).toEqual([])
      })
    }),
    { numRuns: 150 },
  )
  expect(refusedOnce).toBe(true)
})

test('ids that nobody has drawn are claimed, near and far', async () => {
  await sql.begin(async tx => {
    const claimed = await ClaimedIds.begin(tx, sequence)
    const from = claimed.before
    expect(await claimed.claim(tx, [from + 3, from + 1, from + 5_000_000, from + 900])).toEqual([])
    expect(await claimed.claim(tx, [from + 2, from + 5_000_001])).toEqual([])
    expect(await drawnByOthers()).toBe(from + 5_000_002)
  })
})
