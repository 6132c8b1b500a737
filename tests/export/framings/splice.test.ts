import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { renderAnnotations, renderSnapshot } from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { planFill } from '../../../src/domain/questions/version-fill.ts'
import { splicedBytes, spliceRow } from '../../../src/export/framings/splice.ts'
import { plainApplication } from '../../support/plain-renderer.ts'
import { storedRow } from '../../support/stored-row.ts'
import { storedScenario } from '../../support/stored-scenarios.ts'

const zone = 'America/Los_Angeles'
describe('spliceRow', () => {
  test('"The object contains every question that has ever been in the program": equals the plain renderer, at every depth, for programs that grow and shrink', () => {
    fc.assert(
      fc.property(storedScenario, ({ versions, shape, submission, annotations, isCurrent }) => {
        const keyMap = buildKeyMap(versions)
        const fill = planFill(keyMap, shape)
        const row = storedRow(renderSnapshot(submission, shape, zone), renderAnnotations(annotations, zone), isCurrent)
        const bytes = splicedBytes(row, fill)
        const target = Buffer.alloc(bytes + 2, 0x23)
        expect(spliceRow(target, 1, row, fill)).toBe(bytes + 1)
        expect([target[0], target[bytes + 1]]).toEqual([0x23, 0x23])
        const sent = JSON.parse(target.toString('utf8', 1, bytes + 1))
        const plain = plainApplication(submission, annotations, isCurrent ? 'CURRENT' : 'OBSOLETE', keyMap, zone)
        expect(sent).toEqual(JSON.parse(JSON.stringify(plain)))
        // One byte less does not fit, and is said so.
        expect(spliceRow(target.subarray(0, bytes), 1, row, fill)).toBe(-1)
      }),
      { numRuns: 1500 },
    )
  })

  test('a marker of an enumerator the version lacks is refused, not passed on', () => {
    const fill = planFill([], [])
    const row = storedRow('{"application":{\u000142\u0002', '"status":null', true)
    expect(() => spliceRow(Buffer.alloc(1000), 0, row, fill)).toThrow(/enumerator 42/)
  })
})
