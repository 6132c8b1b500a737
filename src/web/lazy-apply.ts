// Applicants' pages, loaded at the first request for a page: a process that only exports never needs them.

export { applicantPages } from './apply/apply.tsx'
