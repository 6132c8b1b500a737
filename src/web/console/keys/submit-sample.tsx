// The calls of a form front end with a new key, from an applicant to an application: what is copied runs as it is.

/** @jsxImportSource preact */

import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { noEntityEnd, renderMembers } from '../../../domain/questions/answers.ts'
import { buildKeyMap } from '../../../domain/questions/key-map.ts'
import { sampleAnswers } from '../../../domain/samples/sample-answers.ts'
import type { CodeTab } from '../../html/secret.tsx'

/** Characters of sample answers. Of a program that asks more, none are made up. */
const answersMax = 20_000

const answersOf = (version: StoredProgramVersion): string =>
  `{"answers": {${renderMembers(buildKeyMap([version]), sampleAnswers(version), noEntityEnd)}}}`

interface SampleOptions {
  baseUrl: string
  slug: string
  username: string
  password: string
  /** Undefined of a program that is not published yet. */
  version: StoredProgramVersion | undefined
}

export function submitSample({ baseUrl, slug, username, password, version }: SampleOptions): CodeTab {
  const answers = version === undefined ? '' : answersOf(version)
  return {
    id: 'sample-submit',
    title: 'Submit with curl',
    about: (
      <>
        An application with made-up answers, which exports carry like any other.{' '}
        <a href="/docs/api#registerApplicant">All intake requests</a>
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

# 3. Submit: the Idempotency-Key is new for each submission, and the same when it is sent again
intake "$url/submissions" -H "Idempotency-Key: first-of-$applicant" \\
  -d '{"submitter": {"type": "APPLICANT"}}'

# 4. Read the answers back
intake "$url/answers"`,
  }
}
