// Contract D29: "What is generated from a definition is bounded in size, whatever the definition asks for."
// Each program is made in a process with little memory and little time: what is not bounded would take the machine down.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { shortExample } from '../../../src/domain/samples/docs-example.ts'
import { shortened } from '../../../src/domain/samples/documented-part.ts'
import { run } from '../../support/run.ts'

const script = join(import.meta.dir, '../../support/docs-of-greedy-program.ts')
/** Of address space: some 30 MB of it are taken by Bun itself, and no more than this is there to be taken. */
const memoryMaxKb = 3_000_000
const deadlineMs = 50_000

interface Generated {
  example: number
  schema: number
  openApi: number
  kept: number
  json: number
  page: number
  questions: number
  /** In the histories of questions, with those left out. */
  changes: number
  left_out: { questions: number; options: number; changes: number }
  errors: string[]
}

async function generated(name: string): Promise<Generated> {
  const limited = ['sh', '-c', `ulimit -v ${memoryMaxKb} && exec "$0" "$@"`, process.execPath, script, name]
  const { code, out, err } = await run(limited, { timeoutMs: deadlineMs })
  expect({ name, code, err }).toEqual({ name, code: 0, err: '' })
  return JSON.parse(out) as Generated
}

const small = { example: 500_000, schema: 500_000, openApi: 3_000_000, kept: 700_000, json: 700_000, page: 6_000_000 }
const large = {
  example: 1_000_000,
  schema: 10_000_000,
  openApi: 15_000_000,
  kept: 5_000_000,
  json: 5_000_000,
  page: 9_000_000,
}

describe('docs of a program that asks for as much as it can are bounded', () => {
  test.each([
    ['at the bound', small, { questions: 80, left_out: { questions: 0, options: 0 } }],
    ['beyond the bound', small, { questions: 80, left_out: { questions: 40 } }],
    ['far beyond the bound', small, { questions: 80, left_out: { questions: 1920 } }],
    ['two thousand addresses', large, { questions: 2000, left_out: { questions: 0 } }],
    ['two hundred thousand options', large, { questions: 40, left_out: { questions: 0 } }],
    ['texts of ten thousand characters', large, { questions: 400, left_out: { questions: 0 } }],
    ['twenty thousand questions in fifty versions', large, { left_out: { changes: 600 } }],
    ['long texts that change in each of sixty versions', large, { questions: 400, changes: 400 * 59 }],
    ['enumerators by the thousand', large, { questions: 2730, left_out: { questions: 0 } }],
  ])(
    '%s',
    async (name, most, expected) => {
      const { errors, ...made } = await generated(name)
      for (const [what, characters] of Object.entries(most))
        expect({ what, tooLong: made[what as keyof typeof most] > characters }).toEqual({ what, tooLong: false })
      expect(made).toMatchObject(expected)
      // Shown or left out: nothing is lost without a notice.
      if (name.startsWith('twenty')) expect(made.questions + made.left_out.questions).toBe(20_000)
      expect(errors).toEqual([])
    },
    deadlineMs + 10_000,
  )
})

test('a short example has only as many questions as are quickly read, and says how many it leaves out', () => {
  const application = Object.fromEntries(
    Array.from({ length: 90 }, (_, i) => [`question ${i}`, { text: 'x'.repeat(80) }]),
  )
  const { page, left_out } = shortExample(JSON.stringify({ payload: [{ application_id: 7, application }] }))
  const [shown] = JSON.parse(page).payload
  expect([shown.application_id, Object.keys(shown.application).length + left_out]).toEqual([7, 90])
  expect(page.length).toBeWithin(2000, 3000)
})

test('a long text is cut with an ellipsis, never within a character', () => {
  expect(shortened('abc', 3)).toBe('abc')
  expect(shortened('abcd', 3)).toBe('ab…')
  expect(shortened('a😀bc', 3)).toBe('a…')
})
