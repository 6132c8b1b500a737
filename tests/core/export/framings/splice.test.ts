import { expect, test } from 'bun:test'
import { spliceRow } from '../../../../src/core/export/framings/splice.ts'
import { planFill } from '../../../../src/domain/questions/version-fill.ts'
import { storedRow } from '../../../support/stored-row.ts'

test('a marker of an enumerator that the version lacks is refused', () => {
  const fill = planFill([], [])
  const row = storedRow('{"application":{\u000142\u0002', '"status":null', true)
  expect(() => spliceRow(Buffer.alloc(1000), 0, row, fill)).toThrow(/enumerator 42/)
})
