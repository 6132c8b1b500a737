// Where each table of the schema lies when an installation is distributed: the one place that says so.

/**
 * `program`: in shards by program, those of a program together on one worker. `coordinator`: an ordinary table there, with all its
 * foreign keys to others like it. A new table goes with the programs when it grows with the applications and is always asked for by program.
 */
export const tablePlacements = {
  submission_counter: 'program',
  application: 'program',
  application_annotation: 'program',
  application_in_progress: 'program',
  submission_request: 'program',
  erased_application: 'program',
  erased_change: 'program',

  admin_token: 'coordinator',
  api_key: 'coordinator',
  api_key_day: 'coordinator',
  api_key_program: 'coordinator',
  applicant: 'coordinator',
  audit_chain: 'coordinator',
  audit_check: 'coordinator',
  audit_event: 'coordinator',
  audit_link: 'coordinator',
  audit_pruned: 'coordinator',
  bulk_load: 'coordinator',
  bulk_load_program: 'coordinator',
  civiform_application: 'coordinator',
  civiform_change: 'coordinator',
  civiform_finding: 'coordinator',
  civiform_source: 'coordinator',
  console_session: 'coordinator',
  database_history: 'coordinator',
  derived_status: 'coordinator',
  docs_example: 'coordinator',
  instance: 'coordinator',
  intermediary: 'coordinator',
  intermediary_organization: 'coordinator',
  invitation: 'coordinator',
  outbox: 'coordinator',
  loaded_ids: 'coordinator',
  person: 'coordinator',
  person_identity: 'coordinator',
  person_program: 'coordinator',
  program: 'coordinator',
  program_key_map: 'coordinator',
  program_version: 'coordinator',
  program_version_question: 'coordinator',
  question: 'coordinator',
  question_version: 'coordinator',
  refusal: 'coordinator',
  schema_migration: 'coordinator',
  skipped_ids: 'coordinator',
  worker_beat: 'coordinator',
} as const satisfies Record<string, 'program' | 'coordinator'>

/** Those that are distributed; the first is the one that the others lie beside. */
export const distributedTables: readonly string[] = Object.entries(tablePlacements)
  .filter(([, placement]) => placement === 'program')
  .map(([table]) => table)
