import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Annotations,
  renderAnnotations,
  renderSnapshot,
  type Submission,
} from '../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap } from '../../src/domain/questions/key-map.ts'
import { planFill } from '../../src/domain/questions/version-fill.ts'
import { splicedBytes, spliceRow } from '../../src/export/splice.ts'
import { answersTo, anySubmitter, anyText, publishedVersions } from '../support/arbitraries.ts'
import { plainApplication } from '../support/plain-renderer.ts'
import { storedRow } from '../support/stored-row.ts'

const zone = 'America/Los_Angeles'
const instant = fc.integer({ min: 0, max: 1_900_000_000_000_000 })

const submissionTo = (versionId: number, shape: KeyMap): fc.Arbitrary<Submission> =>
  fc.record({
    applicant_id: fc.nat(),
    application_id: fc.nat(),
    create_time: instant,
    submit_time: instant,
    language: fc.constantFrom('en-US', 'zh-Hant'),
    program_name: fc.constant('utility-assistance'),
    program_version_id: fc.constant(versionId),
    submitter: anySubmitter,
    answers: answersTo(shape),
  })

const annotations: fc.Arbitrary<Annotations> = fc.record({
  status: fc.option(anyText),
  status_last_modified_time: fc.option(instant),
  application_note: fc.option(anyText),
})

const scenario = publishedVersions.chain(versions =>
  fc.nat(versions.length - 1).chain(index => {
    const shape = buildKeyMap([versions[index]!])
    return fc.record({
      versions: fc.constant(versions),
      shape: fc.constant(shape),
      submission: submissionTo(versions[index]!.program_version_id, shape),
      annotations,
      isCurrent: fc.boolean(),
    })
  }),
)

describe('spliceRow', () => {
  test('"The object contains every question that has ever been in the program": equals the plain renderer, at every depth, for programs that grow and shrink', () => {
    fc.assert(
      fc.property(scenario, ({ versions, shape, submission, annotations, isCurrent }) => {
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
