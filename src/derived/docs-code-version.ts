// Which release of the code made the docs that are kept: a fingerprint of the docs that this release makes of one fixed program.
// It must not depend on any real program, or every installation would have a number of its own.

import { createHash } from 'node:crypto'
import { type DocumentableVersion, versionDocs } from '../domain/invented/version-docs.ts'
import { questionKinds, type VersionQuestion } from '../domain/questions/question.ts'

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
    settings: { text: 'What?', options: [{ admin_id: `option_${i}`, text: 'This' }], correct_addresses: true },
  }))
}

function fingerprint(): number {
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
  const docs = [
    versionDocs(first, [], making),
    versionDocs(second, [first], making),
    versionDocs(first, [second], making),
  ]
  // A PostgreSQL integer greater than 0.
  return createHash('sha256').update(JSON.stringify(docs)).digest().readUInt32BE(0) >>> 1 || 1
}

/**
 * Changes whenever a release makes other docs of the same program, so it need not be counted up by hand. What was
 * kept under another number is stale: it is made again, on the next read or by the sweep.
 */
export const docsCodeVersion = fingerprint()
