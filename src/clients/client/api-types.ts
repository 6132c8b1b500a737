// The types of the service's requests and responses. Generated from its OpenAPI document by tests/clients/client/api-types.test.ts: do not edit.

/** A page of an export. */
export type ExportPage = {
  /** The applications on this page, in order of submission. */
  payload: readonly Application[]
  /** Pass it as nextPageToken to get the next page; null on the last page. */
  nextPageToken: string | null
}

/** An application with its answers at submission. */
export type Application = {
  /** Unique ID of the applicant. */
  applicant_id: number
  /** Unique ID of this application. */
  application_id: number
  /** Time the applicant first answered a question in this program. In whole seconds, with the service’s time zone offset at that time. */
  create_time: string
  /** IETF language tag of the applicant’s preferred language. */
  language: string
  /** Slug of the program. */
  program_name: string
  /** ID of the program version it was submitted to. Every change to the program or its questions creates a version. */
  program_version_id: number
  /** CURRENT: the applicant’s latest application. OBSOLETE: the applicant has submitted a newer one. The examples are all current values; accept others, because more may be added. */
  revision_state: 'CURRENT' | 'OBSOLETE' | (string & {})
  /** Status set by an administrator. */
  status: string | null
  /** Time the status was last set. In whole seconds, with the service’s time zone offset at that time. */
  status_last_modified_time: string | null
  /** Note by an administrator. */
  application_note: string | null
  /** Time of submission. In whole seconds, with the service’s time zone offset at that time. */
  submit_time: string
  /** Who submitted it: the applicant, or a trusted intermediary on the applicant’s behalf. The examples are all current values; accept others, because more may be added. */
  submitter_type: 'APPLICANT' | 'TRUSTED_INTERMEDIARY' | (string & {})
  /** Email address of the intermediary; null if the applicant submitted. */
  ti_email: string | null
  /** Organization of the intermediary; null if the applicant submitted. */
  ti_organization: string | null
  application: Answers
}

/** Answers by question key. Includes every question the program has ever had, even if unanswered. */
export type Answers = {
  [key: string]: Question
}

/** A question object. Its question_type determines its other properties. */
export type Question = {
  /** Type of the question. The examples are all current values; accept others, because more may be added. */
  question_type:
    | 'ADDRESS'
    | 'CURRENCY'
    | 'DATE'
    | 'EMAIL'
    | 'ENUMERATOR'
    | 'FILE_UPLOAD'
    | 'ID'
    | 'MAP'
    | 'MULTI_SELECT'
    | 'NAME'
    | 'NUMBER'
    | 'PHONE'
    | 'SINGLE_SELECT'
    | 'TEXT'
    | (string & {})
  [field: string]: unknown
}

/** Describes why a request failed (RFC 9457). */
export type Problem = {
  /** URN that identifies the kind of problem. */
  type: string
  title: string
  status: number
  /** Human-readable explanation of this problem. */
  detail: string
  /** Value of X-Request-Id. Administrators can use it to find the request in the log. */
  request_id: string
  /** One entry for each error in the request. */
  errors: readonly {
    /** Name of the query parameter or header. */
    parameter?: string
    /** JSON Pointer to the value in the request body. */
    path?: string
    /** Machine-readable code, stable across releases. */
    code: string
    /** Human-readable explanation of how to fix the value. */
    detail: string
  }[]
}

/** The API key used for this request. */
export type ApiKey = {
  /** Username of the key. */
  api_key_id: string
  name: string
  expires_at: string
  /** Slugs of the programs that the key can access. */
  programs: readonly string[]
  /** Reminder to renew the key, set during the 30 days before it expires; otherwise null. */
  notice: string | null
}

/** What an export may be asked, as query parameters. */
export type ExportParameters = {
  /** Only applications submitted at or after this time. A date or date-time: 2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00Z, 2026-01-31T09:30:00-08:00. A date means the start of the day. The default time zone is that of the service. */
  fromDate?: string
  /** Only applications submitted before this time. A date or date-time: 2026-01-31, 2026-01-31T09:30, 2026-01-31T09:30:00Z, 2026-01-31T09:30:00-08:00. A date means the start of the day. The default time zone is that of the service. */
  toDate?: string
  /** Only applications in this revision state: CURRENT (the latest of each applicant) or OBSOLETE (replaced by a newer one). Default: all. */
  revisionState?: 'CURRENT' | 'OBSOLETE'
  /** Only applications submitted by the applicant (APPLICANT) or by a trusted intermediary on their behalf (TRUSTED_INTERMEDIARY). Default: all. */
  submitterType?: 'APPLICANT' | 'TRUSTED_INTERMEDIARY'
  /** Maximum number of applications per page. Defaults to, and is capped at, the service maximum. */
  pageSize?: number
  /** Question keys to include, separated by commas. Prefix a repeated question with the keys of its enumerators, separated by dots: <question>,<enumerator>.<question>. All questions are included by default. Members outside application are always included. */
  fields?: string
  /** `current` includes only the questions of the newest published version, as of the first page. By default, every question that the program has ever had is included. */
  questions?: 'current'
  /** Format of the response. Overrides the Accept header. `exact-csv` is CSV for software: values exactly as they are, without a byte order mark, apostrophes, next_page_token or last record. Its pages have the headers Application-Count and Next-Page-Token. Without pageSize or nextPageToken, it returns 400 (more_than_one_page) if the applications do not fit on one page. */
  format?: 'json' | 'ndjson' | 'csv' | 'exact-csv'
  /** The nextPageToken of the previous page. Other parameters can then be omitted; if sent, they must not change. */
  nextPageToken?: string
}

/** The parameters that limit which applications an export has, each with a sentence and, where there are few, its values. */
export const exportFilters = {
  fromDate: { help: 'Only applications submitted at or after this time' },
  toDate: { help: 'Only applications submitted before this time' },
  revisionState: {
    help: 'Only applications in this revision state: CURRENT (the latest of each applicant) or OBSOLETE (replaced by a newer one)',
    values: ['CURRENT', 'OBSOLETE'],
  },
  submitterType: {
    help: 'Only applications submitted by the applicant (APPLICANT) or by a trusted intermediary on their behalf (TRUSTED_INTERMEDIARY)',
    values: ['APPLICANT', 'TRUSTED_INTERMEDIARY'],
  },
} as const satisfies Record<string, { help: string; values?: readonly string[] }>
