// Placement of each table in a distributed installation.

/**
 * Sharded by program, with all rows of a program on one worker. The other tables are colocated with the first. A new table belongs here if it grows
 * with the applications and is always queried by program.
 */
export const distributedTables: readonly string[] = [
  'submission_counter',
  'application',
  'application_words',
  'application_annotation',
  'application_in_progress',
  'submission_request',
  'uploaded_file',
  'erased_application',
  'erased_change',
]

/**
 * Copied to every node, so that statements on applications may join them: small, and only changed by publications and settings. Each comes after the
 * tables that its foreign keys reference. All other tables are ordinary tables of the coordinator.
 */
export const referenceTables: readonly string[] = [
  'instance',
  'program',
  'question',
  'question_version',
  'program_version',
  'program_version_question',
]
