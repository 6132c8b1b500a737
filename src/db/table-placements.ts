// Placement of each table in a distributed installation.

/**
 * In shards by program, those of a program together on one worker; the first is the one that the others lie alongside. A new table goes with the
 * programs when it grows with the applications and is always asked for by program.
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
 * Copied to every node, so that statements on applications may join them: small, and changed by publications and settings alone. Each follows
 * those that its foreign keys name. Every other table is an ordinary one of the coordinator.
 */
export const referenceTables: readonly string[] = [
  'instance',
  'program',
  'question',
  'question_version',
  'program_version',
  'program_version_question',
]
