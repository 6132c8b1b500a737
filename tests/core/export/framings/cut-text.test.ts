import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planCut, RowCutter } from '../../../../src/core/export/framings/cut-text.ts'
import type { VersionedRow } from '../../../../src/core/export/framings/page-framing.ts'
import { splicedBytes, spliceRow } from '../../../../src/core/export/framings/splice.ts'
import { renderAnnotations, renderSnapshot } from '../../../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap } from '../../../../src/domain/questions/key-map.ts'
import {
  fieldNames,
  findFields,
  namesOfFields,
  type QuestionView,
  visiblePart,
  visibleShape,
} from '../../../../src/domain/questions/question-view.ts'
import { planFill } from '../../../../src/domain/questions/version-fill.ts'
import { anyView, idsOf } from '../../../support/arbitraries.ts'
import { plainApplication } from '../../../support/plain-renderer.ts'
import { storedRow } from '../../../support/stored-row.ts'
import { type StoredScenario, storedScenario } from '../../../support/stored-scenarios.ts'

const zone = 'America/Los_Angeles'

/** A scenario, and any view of its questions: some hidden, some chosen. */
const viewed = storedScenario.chain(scenario =>
  fc.record({ scenario: fc.constant(scenario), view: anyView(idsOf(buildKeyMap(scenario.versions))) }),
)

const rowOf = ({ shape, submission, annotations, isCurrent }: StoredScenario): VersionedRow => ({
  ...storedRow(renderSnapshot(submission, shape, zone), renderAnnotations(annotations, zone), isCurrent),
  programVersionId: submission.program_version_id,
})

function cut(scenario: StoredScenario, view: QuestionView) {
  const { versions, shape, submission } = scenario
  const seen = visiblePart(buildKeyMap(versions), view)
  const version = submission.program_version_id
  const seenOfVersion = visibleShape(shape, seen)
  const cutter = new RowCutter(new Map([[version, shape]]), new Map([[version, seenOfVersion]]))
  return { seen, shape: seenOfVersion, row: cutter.cut(rowOf(scenario)) }
}

const textOf = ({ bytes, snapshotFrom, snapshotTo }: VersionedRow): string =>
  bytes.toString('utf8', snapshotFrom, snapshotTo)

/** What a view leaves of a parsed `application`, or entity: by the names in the answers alone. */
function without(answers: Record<string, unknown>, seen: KeyMap): Record<string, unknown> {
  const byKey = new Map(seen.map(node => [node.question_key, node]))
  const kept = Object.entries(answers).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'entity_name') return [[key, value]]
    const node = byKey.get(key)
    if (node === undefined) return []
    if (node.type !== 'ENUMERATOR') return [[key, value]]
    const { entities, ...rest } = value as { entities: Record<string, unknown>[] }
    return [[key, { ...rest, entities: entities.map(entity => without(entity, node.children)) }]]
  })
  return Object.fromEntries(kept)
}

describe('a stored text that is cut to a view', () => {
  test('is byte for byte what would be stored if the version had never asked the rest, for any answers', () => {
    fc.assert(
      fc.property(viewed, ({ scenario, view }) => {
        const { row, shape } = cut(scenario, view)
        expect(textOf(row)).toBe(renderSnapshot(scenario.submission, shape, zone))
        const annotations = row.bytes.toString('utf8', row.annotationsFrom, row.annotationsTo)
        expect([annotations, row.isCurrent]).toEqual([
          renderAnnotations(scenario.annotations, zone),
          scenario.isCurrent,
        ])
      }),
      { numRuns: 1500 },
    )
  })

  test('is exported like the whole application with the rest deleted, at every depth', () => {
    fc.assert(
      fc.property(viewed, ({ scenario, view }) => {
        const { row, seen, shape } = cut(scenario, view)
        const fill = planFill(seen, shape)
        const object = Buffer.alloc(splicedBytes(row, fill))
        expect(spliceRow(object, 0, row, fill)).toBe(object.length)
        const { submission, annotations, isCurrent, versions } = scenario
        const state = isCurrent ? 'CURRENT' : 'OBSOLETE'
        const plain = JSON.parse(
          JSON.stringify(plainApplication(submission, annotations, state, buildKeyMap(versions), zone)),
        )
        expect(JSON.parse(object.toString())).toEqual({ ...plain, application: without(plain.application, seen) })
      }),
      { numRuns: 1500 },
    )
  })

  test('is the row itself if the view shows everything', () => {
    fc.assert(
      fc.property(storedScenario, scenario => {
        const { shape } = scenario
        expect(planCut(shape, visiblePart(shape, { hidden: new Set(), chosen: undefined }))).toBeUndefined()
        expect(planCut(shape, visiblePart(shape, { hidden: new Set(), chosen: idsOf(shape) }))).toBeUndefined()
      }),
    )
  })

  test('a text that does not match its version is refused wherever it differs, so no hidden answer is sent', () => {
    fc.assert(
      fc.property(viewed, fc.nat(), fc.integer({ min: 0, max: 255 }), ({ scenario, view }, place, byte) => {
        const { shape, submission } = scenario
        const version = submission.program_version_id
        const seen = visibleShape(shape, visiblePart(buildKeyMap(scenario.versions), view))
        if (planCut(shape, seen) === undefined) return
        const cutter = new RowCutter(new Map([[version, shape]]), new Map([[version, seen]]))
        const row = rowOf(scenario)
        const answersFrom = row.bytes.indexOf(',"application":{', row.snapshotFrom)
        row.bytes[answersFrom + (place % (row.snapshotTo - answersFrom))] = byte
        let text: string
        try {
          text = textOf(cutter.cut(row))
        } catch (error) {
          expect(error).not.toBeInstanceOf(TypeError)
          expect(error).not.toBeInstanceOf(RangeError)
          return
        }
        // What was changed lies within what is seen, a name of it perhaps: of what is hidden there is still nothing.
        const names = [
          ...text.slice(text.indexOf(',"application":{')).matchAll(/"((?:[^"\\]|\\.)*)":\{"question_type"/g),
        ].map(([, name]) => `"${name}"`)
        const seenNames = lastNames(seen)
        for (const hidden of lastNames(shape)) if (!seenNames.includes(hidden)) expect(names).not.toContain(hidden)
      }),
      { numRuns: 1500 },
    )
  })
})

const lastNames = (shape: KeyMap): string[] => fieldNames(shape).map(name => JSON.stringify(name.split('.').at(-1)))

describe('fields', () => {
  test('each name in a key map means its question, and no other name means any', () => {
    fc.assert(
      fc.property(storedScenario, fc.string(), ({ versions }, other) => {
        const keyMap = buildKeyMap(versions)
        const names = fieldNames(keyMap)
        expect(new Set(names).size).toBe(names.length)
        const ids = names.map(name => findFields(keyMap, [name]).chosen)
        expect(ids.flat().sort((a, b) => a - b)).toEqual(idsOf(keyMap).sort((a, b) => a - b))
        const unknown = [other, `${names[0]}.`, `.${names[0]}`, `${names[0]}.${names[0]}`].filter(
          value => !names.includes(value),
        )
        expect(findFields(keyMap, unknown)).toEqual({ chosen: [], unknown })
      }),
    )
  })

  test('names in any order mean the topmost of their questions, and are written the same way', () => {
    const named = storedScenario.chain(({ versions }) => {
      const keyMap = buildKeyMap(versions)
      return fc.tuple(fc.constant(keyMap), fc.shuffledSubarray(fieldNames(keyMap)))
    })
    fc.assert(
      fc.property(named, ([keyMap, names]) => {
        const top = names.filter(name => !names.some(other => name.startsWith(`${other}.`)))
        const { chosen } = findFields(keyMap, names)
        expect(chosen).toEqual([...chosen].sort((a, b) => a - b))
        expect(namesOfFields(keyMap, chosen)).toEqual(fieldNames(keyMap).filter(name => top.includes(name)))
        expect(findFields(keyMap, top)).toEqual({ chosen, unknown: [] })
      }),
    )
  })
})
