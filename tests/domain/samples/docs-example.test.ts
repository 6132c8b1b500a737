import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { splicedBytes, spliceRow } from '../../../src/core/export/framings/splice.ts'
import { renderAnnotations, renderSnapshot } from '../../../src/domain/questions/application.ts'
import { buildKeyMap } from '../../../src/domain/questions/key-map.ts'
import { planFill } from '../../../src/domain/questions/version-fill.ts'
import { type ExampleVersion, examplePage, exampleSubmissions } from '../../../src/domain/samples/docs-example.ts'
import { publishedVersions } from '../../support/arbitraries.ts'
import { everyKindVersion } from '../../support/every-kind.ts'
import { storedRow } from '../../support/stored-row.ts'

test('the example is byte for byte what the exporter sends for the same applications', () => {
  fc.assert(
    fc.property(publishedVersions, fc.nat(), (versions, nth) => {
      const chosen = versions[nth % versions.length]!
      const version: ExampleVersion = { ...chosen, slug: 'example', statuses: ['Approved'], screens: [] }
      const keyMap = buildKeyMap(versions)
      const page = examplePage(version, keyMap, 'America/Los_Angeles')
      const applications = (JSON.parse(page) as { payload: Record<string, unknown>[] }).payload
      const exported = exampleSubmissions(version).map((submission, i) => {
        const shape = buildKeyMap([version])
        const { status, application_note, status_last_modified_time } = applications[i]!
        const annotations = renderAnnotations(
          {
            status: status as string | null,
            status_last_modified_time:
              status_last_modified_time === null ? null : Date.parse(status_last_modified_time as string) * 1000,
            application_note: application_note as string | null,
          },
          'America/Los_Angeles',
        )
        const fill = planFill(keyMap, shape)
        const row = storedRow(renderSnapshot(submission, shape, 'America/Los_Angeles'), annotations, i === 0)
        const target = Buffer.alloc(splicedBytes(row, fill))
        expect(spliceRow(target, 0, row, fill)).toBe(target.length)
        return target.toString()
      })
      expect(page.startsWith(`{"payload":[${exported.join(',')}],"nextPageToken":"`)).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('shows every field filled in, two entities at every depth, and the unanswered form of every question', () => {
  const version = everyKindVersion()
  const { payload, nextPageToken } = JSON.parse(examplePage(version, buildKeyMap([version]), 'UTC'))
  const [full, empty] = payload
  const nulls = (value: unknown, path: string): string[] => {
    if (value === null) return [path]
    if (Array.isArray(value) && value.length === 0) return [path]
    return typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => nulls(inner, `${path}.${name}`))
      : []
  }
  expect(nulls(full, 'application')).toEqual([])
  const outer = full.application.enumerator_one.entities
  expect(outer).toHaveLength(2)
  for (const entity of outer) {
    expect(entity.enumerator_two.entities).toHaveLength(2)
    for (const inner of entity.enumerator_two.entities) expect(inner.text_three.text).toBeString()
  }
  expect(Object.keys(empty.application)).toEqual(Object.keys(full.application))
  for (const question of Object.values<Record<string, unknown>>(empty.application)) {
    const { question_type, ...fields } = question
    expect(question_type).toBeString()
    for (const value of Object.values(fields)) expect(value ?? []).toEqual([])
  }
  // Spec, `nextPageToken`: "opaque alphanumeric token".
  expect(nextPageToken).toMatch(/^[0-9A-Za-z]+$/)
})
