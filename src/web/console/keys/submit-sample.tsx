// Sample intake requests for a new key, from registering an applicant to submitting. They run exactly as copied.

/** @jsxImportSource preact */

import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { noEntityEnd, renderMembers } from '../../../domain/questions/answers.ts'
import { buildKeyMap } from '../../../domain/questions/key-map.ts'
import { sampleAnswers } from '../../../domain/samples/sample-answers.ts'
import type { CodeTab } from '../../html/secret.tsx'

/** Maximum length of the sample answers. A longer program gets an empty set. */
const answersMax = 20_000

const answersOf = (version: StoredProgramVersion): string =>
  `{"answers": {${renderMembers(buildKeyMap([version]), sampleAnswers(version), noEntityEnd)}}}`

interface SampleOptions {
  baseUrl: string
  slug: string
  username: string
  password: string
  /** Undefined if the program isn't published yet. */
  version: StoredProgramVersion | undefined
}

export function submitSample({ baseUrl, slug, username, password, version }: SampleOptions): CodeTab {
  const answers = version === undefined ? '' : answersOf(version)
  return {
    id: 'sample-submit',
    title: 'Submit with curl',
    about: (
      <>
        Submits an application with made-up answers. It’s exported like any other.{' '}
        <a href="/docs/api#registerApplicant">Intake API reference</a>
      </>
    ),
    code: `export TRIBUTARY_USERNAME='${username}'
export TRIBUTARY_PASSWORD='${password}'
intake() {
  curl --fail-with-body -sS -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" \\
    -H 'Content-Type: application/json' "$@"
}

# 1. Register an applicant
applicant=$(intake '${baseUrl}/intake/v1/applicants' -d '{"language": "en-US"}' |
  sed 's/.*"applicant_id":\\([0-9]*\\).*/\\1/')
url="${baseUrl}/intake/v1/programs/${slug}/applicants/$applicant"

# 2. Save answers
intake -X PUT "$url/answers" -d @- <<'ANSWERS'
${answers !== '' && answers.length <= answersMax ? answers : '{"answers": {}}'}
ANSWERS

# 3. Submit. Use a new Idempotency-Key for each submission and the same one for retries
intake "$url/submissions" -H "Idempotency-Key: first-of-$applicant" \\
  -d '{"submitter": {"type": "APPLICANT"}}'

# 4. Read the answers back
intake "$url/answers"`,
  }
}
