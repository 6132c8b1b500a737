import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  authorizeAnnotation,
  authorizeExport,
  authorizeSubmit,
  type Caller,
  nothingHidden,
  unauthenticated,
} from '../../../src/core/keys/caller.ts'
import { refusal } from '../../support/refusal.ts'

const caller = (permissions: { may_export: boolean; may_submit: boolean; may_annotate?: boolean }): Caller => ({
  api_key_id: 'tribk_00000000000000000001',
  name: 'A key',
  expires_at: 0,
  programs: new Map([['rent-aid', 7]]),
  address: '192.0.2.1',
  front_end: permissions.may_submit ? 'Portal' : null,
  may_annotate: false,
  hidden: nothingHidden,
  ...permissions,
})
const both = caller({ may_export: true, may_submit: true })

describe('setting status and note', () => {
  test('requires a key that may, and a program that it may read', () => {
    const may = caller({ may_export: true, may_submit: false, may_annotate: true })
    expect(authorizeAnnotation(may, 'rent-aid')).toBe(7)
    expect(refusal(() => authorizeAnnotation(may, 'other')).internal).toBe('no_grant')
    expect(refusal(() => authorizeAnnotation(both, 'rent-aid')).internal).toBe('may_not_annotate')
    const only = caller({ may_export: false, may_submit: true, may_annotate: true })
    expect(refusal(() => authorizeAnnotation(only, 'rent-aid')).internal).toBe('may_not_export')
  })
})

describe('"A request for a program outside that set fails with 401." (spec, "Authentication" 5; contract D6)', () => {
  test('any other text gets the same 401, and only the log distinguishes it from a valid name', () => {
    const reasonOf = (slug: string) => {
      const problem = refusal(() => authorizeExport(both, slug))
      expect({ ...problem, internal: '' }).toEqual({ ...unauthenticated('no_header'), internal: '' })
      return problem.internal
    }
    expect(reasonOf('other-program')).toBe('no_grant')
    const names = [
      '',
      'Rent-Aid',
      'rent-aid ',
      '%00',
      '\0',
      '__proto__',
      'constructor',
      "'; drop table program",
      'x'.repeat(10_000),
    ]
    expect(names.map(reasonOf)).toEqual(names.map(name => (name === 'constructor' ? 'no_grant' : 'no_such_program')))
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), slug => {
        fc.pre(slug !== 'rent-aid')
        expect(['no_grant', 'no_such_program']).toContain(reasonOf(slug)!)
      }),
    )
  })

  test('a key that may not export or submit gets the same 401', () => {
    const reader = caller({ may_export: true, may_submit: false })
    const writer = caller({ may_export: false, may_submit: true })
    expect(authorizeExport(reader, 'rent-aid')).toBe(7)
    expect(authorizeSubmit(writer, 'rent-aid')).toEqual({ program_id: 7, front_end: 'Portal' })
    expect(refusal(() => authorizeSubmit(reader, 'rent-aid')).internal).toBe('may_not_submit')
    expect(refusal(() => authorizeExport(writer, 'rent-aid')).internal).toBe('may_not_export')
  })
})
