// What is kept names the code that made it by a number that rises, so that of two releases side by side one makes it again, and not both.

import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { docsCodeVersion } from '../../../src/core/derived/program-docs.ts'
import { upsertDerived } from '../../../src/db/derived/derived-content.ts'
import { readMissingDerived } from '../../../src/db/derived/missing-derived.ts'
import { questionKinds, type VersionQuestion } from '../../../src/domain/questions/question.ts'
import { type DocumentableVersion, versionDocs } from '../../../src/domain/samples/version-docs.ts'
import { useDatabase } from '../../support/fixtures.ts'
import { aDraft, aComputedProgram as aProgram, q } from '../../support/programs.ts'

test('of workers of two releases, the later one regenerates once what the earlier one stored, and the earlier one leaves it', async () => {
  const { sql } = await useDatabase()
  const { slug } = await aProgram(sql, { questions: [q.text('shared')] })
  await aDraft(sql, { slug, questions: [q.text('shared'), q.text('drafted')] })
  /** As a worker whose code has this number does it: looks, and makes what is missing. */
  const sweep = async (code_version: number): Promise<string[]> => {
    await sql`update derived_status set state = 'done', fulfilled = requested, code_version = ${code_version}`
    const missing = await readMissingDerived(sql, { keyMap: code_version, docsExample: code_version })
    for (const { program_version_id, job_name } of missing) {
      const table = job_name === 'refresh-key-map' ? 'program_key_map' : 'docs_example'
      await upsertDerived(sql, table, { program_version_id, code_version, content: {}, duration_ms: 1 })
    }
    return missing.map(({ job_name }) => job_name).sort()
  }
  const all = ['refresh-docs-example', 'refresh-docs-example', 'refresh-key-map']
  expect(await sweep(1)).toEqual(all)
  expect(await sweep(1)).toEqual([])
  expect(await sweep(2)).toEqual(all)
  for (let round = 0; round < 3; round++) {
    expect(await sweep(1)).toEqual([])
    expect(await sweep(2)).toEqual([])
  }
})

/** A question of every kind, and of every kind once more within an enumerator. */
function everyQuestion(): VersionQuestion[] {
  const outer = questionKinds.length
  const enumerator = questionKinds.indexOf('ENUMERATOR') + 1
  return [...questionKinds, ...questionKinds].map((kind, i) => ({
    question_id: i + 1,
    question_version_id: i + 1,
    kind,
    admin_name: `question ${i}`,
    question_key: `question_${i}`,
    enumerator_id: i < outer ? null : enumerator,
    settings: {
      text: 'What?',
      max_length: 20,
      options: [{ admin_id: `option_${i}`, text: 'This' }],
      correct_addresses: true,
    },
  }))
}

/** The docs of these, whatever any program of an installation asks. */
function fixedDocs() {
  const questions = everyQuestion()
  const common = { slug: 'fingerprint', statuses: ['Approved'] }
  const placements = questions.map(({ question_id }) => ({ question_id, optional: false, visible_when: null }))
  const first: DocumentableVersion = { ...common, program_version_id: 1, display_name: 'A', questions: [], screens: [] }
  const second: DocumentableVersion = {
    ...common,
    program_version_id: 2,
    display_name: 'B',
    questions,
    screens: [{ name: 'All', visible_when: null, questions: placements }],
  }
  const making = { timeZone: 'UTC' }
  return [versionDocs(first, [], making), versionDocs(second, [first], making), versionDocs(first, [second], making)]
}

test('changed docs have another version: when this fails, increment docsCodeVersion and update this test', () => {
  const made = createHash('sha256').update(JSON.stringify(fixedDocs())).digest('hex').slice(0, 16)
  expect({ docsCodeVersion, made }).toEqual({ docsCodeVersion: 15, made: '1b5fb6559f86f129' })
})
