// Example values of members and parameters by name, for samples of operations whose schemas have no examples.

const slug = 'utility-assistance'
const person = 'ada@example.gov'
const key = 'tribk_4mKq0Zt7uXcVb2Rw9LsY'
const password = 'tribs_d1NhJ8fGaEoP5iQx3TzUkMvBnC6yHrW4mKq0Zt7uXcVb2Rw9L'
const token = '4mKq0Zt7uXcVb2Rw9LsYd1NhJ8fGaEoP5iQx3TzUkMvBnC6yHrW'

export const memberValues: Readonly<Record<string, unknown>> = {
  action: 'application_read',
  actor: `admin:${person}`,
  address: '203.0.113.7',
  admin_token_id: 'tribat_4mKq0Zt7uXcV',
  admin_name: 'date of birth',
  allowed_subnets: ['203.0.113.0/24'],
  api_key_id: key,
  api_secret_token: btoa(`${key}:${password}`),
  applicant_id: 1001,
  application_id: 5001,
  applicationId: 5001,
  application_note: 'Called on Monday; documents are complete.',
  change_cursor: '48211',
  changeCursor: '48211',
  based_on: '3f9a0c1e',
  changed_by: `admin:${person}`,
  created_by: `admin:${person}`,
  csrf: 'f3Jb0sYy8vQ2',
  database_user: 'tributary',
  display_name: 'Utility Assistance',
  day: '2026-01-15',
  email: person,
  email_folded: person,
  entitySet: 'applications',
  expires_at: '90d',
  fileName: 'export.sh',
  followed: false,
  group: 'The console',
  'Idempotency-Key': '6f1c2a90-3c1e-4a57-9d34-0c5b8f6e2d11',
  'If-Match': '*',
  installation_id: '0c6b2f4d9a1e',
  issuer: 'https://login.example.gov',
  job_name: 'refresh-key-map',
  keyId: key,
  link: 'https://tributary.example.gov/admin/choose-password/4mKq0Zt7uXcV',
  may_annotate: false,
  may_submit: false,
  nextAfter: null,
  nextCursor: '48211',
  nextPageToken: null,
  organization: 'Harbor Community Clinic',
  outdated: false,
  password,
  path: '/api/v1/admin/programs',
  program: slug,
  program_name: slug,
  programs: [slug],
  programSlug: slug,
  question_key: 'date_of_birth',
  question_type: 'DATE',
  request_id: '0198c1f2-7a50-7d3e-9a41-5f0c2b7e6d10',
  requestId: '0198c1f2-7a50-7d3e-9a41-5f0c2b7e6d10',
  scopes: ['keys:read'],
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  slug,
  stale: false,
  status: 'In review',
  subject: '5001',
  text: 'When were you born?',
  ti_email: 'helper@community.example.org',
  url: 'https://receiver.example.gov/tributary',
  username: key,
  value: '30m',
  version: '3f9a0c1e',
  walk: token,
}

/** Values of `name` by path prefix; the first match counts. */
const named: readonly (readonly [path: string, name: string])[] = [
  ['/odata/', 'applications'],
  ['/admin/api/v1/intermediaries', 'Harbor Community Clinic'],
  ['/admin/api/v1/people', 'Ada Okafor'],
  ['/admin/api/v1/session', 'Ada Okafor'],
  ['/admin/api/v1/settings', 'SESSION_IDLE'],
  ['/', 'Nightly export'],
]

/** Example values by path prefix. */
export function valuesOfPath(path: string): Readonly<Record<string, unknown>> {
  const [, name] = named.find(([start]) => path.startsWith(start))!
  return { name, name_folded: name.toLowerCase() }
}
