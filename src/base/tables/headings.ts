// Column headings for people: the fields of every application and entity, and the parts of an answer.

/** Fields that don't belong to a question. */
export const fixedHeadings = {
  application_id: 'Application ID',
  applicant_id: 'Applicant ID',
  program_name: 'Program',
  program_version_id: 'Program version ID',
  submit_time: 'Submitted',
  create_time: 'Started',
  revision_state: 'Revision',
  status: 'Status',
  status_last_modified_time: 'Status changed',
  application_note: 'Note',
  language: 'Language',
  submitter_type: 'Submitted by',
  ti_email: 'Intermediary’s email',
  ti_organization: 'Intermediary’s organization',
  entity_path: 'Entity path',
  parent_path: 'Parent path',
  entity_index: 'Position (from 0)',
  entity_name: 'Name',
} as const

const parts: Readonly<Record<string, string>> = {
  line2: 'apartment or suite',
  zip: 'ZIP code',
  file_key: 'first file',
  file_urls: 'files',
}

/** The name of a field of an answer that has several, such as `first name`. */
export const partHeading = (field: string): string => parts[field] ?? field.replaceAll('_', ' ')
