// Applications as they may be stored: programs that grow and shrink over versions, and any answers to one of these.

import fc from 'fast-check'
import type { Annotations, Submission } from '../../src/domain/questions/application.ts'
import { buildKeyMap, type KeyMap, type PublishedVersion } from '../../src/domain/questions/key-map.ts'
import { answersTo, anySubmitter, anyText, publishedVersions } from './arbitraries.ts'

export interface StoredScenario {
  versions: PublishedVersion[]
  /** Of the version it was submitted to. */
  shape: KeyMap
  submission: Submission
  annotations: Annotations
  isCurrent: boolean
}

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

const applicationTo = (versions: PublishedVersion[]): fc.Arbitrary<StoredScenario> =>
  fc.nat(versions.length - 1).chain(index => {
    const shape = buildKeyMap([versions[index]!])
    return fc.record({
      versions: fc.constant(versions),
      shape: fc.constant(shape),
      submission: submissionTo(versions[index]!.program_version_id, shape),
      annotations,
      isCurrent: fc.boolean(),
    })
  })

export const storedScenario: fc.Arbitrary<StoredScenario> = publishedVersions.chain(applicationTo)

/** Several applications to one program, each to any of its versions. */
export const storedScenarios: fc.Arbitrary<StoredScenario[]> = publishedVersions.chain(versions =>
  fc.array(applicationTo(versions), { minLength: 1, maxLength: 6 }),
)
