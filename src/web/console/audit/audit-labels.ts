// The texts of the audit log: a label for each action, and the sentence “Ada created API key …”. Pure.

import type { AuditEventRow } from '../../../db/audit/audit.ts'
import { intakeLabels } from '../../html/lists.tsx'

/** The words for an action: those before the subject, and any others. */
export interface Phrase {
  did: string
  /** The words after the subject. */
  after?: string
  /** The sentence without a subject, for people who did it to their own account. */
  own?: string
  /** The words before several subjects. */
  didMany?: string
}

type ActionText = readonly [label: string, did: string, more?: Omit<Phrase, 'did'>]

/** The label of each action, as headings and filters show it, and its phrase. */
const texts: Readonly<Record<string, ActionText>> = {
  application_annotated: ['Status or note changed', 'changed the note on application'],
  program_intake_set: ['Intake changed', 'changed the applicant message for'],
  admin_token_created: ['API token created', 'created API token'],
  admin_token_retired: ['API token retired', 'retired API token'],
  api_key_created: ['API key created', 'created API key'],
  api_key_disabled: ['API key disabled', 'disabled API key'],
  api_key_edited: ['API key edited', 'edited API key'],
  api_key_enabled: ['API key enabled', 'enabled API key'],
  api_key_exposed: ['API key exposed', 'exposed API key'],
  api_key_followed: ['API key copied', 'copied API key'],
  api_key_retired: ['API key retired', 'retired API key'],
  api_key_rotated: ['API key rotated', 'rotated API key'],
  applicant_code_replaced: ['Applicant code replaced', 'replaced the code of applicant'],
  applicant_code_revoked: ['Applicant code revoked', 'revoked the code of applicant'],
  applicant_erased: ['Applicant erased', 'erased applicant'],
  applicant_language_changed: ['Applicant language changed', 'changed the language of applicant'],
  applicant_registered: ['Applicant registered', 'registered applicant'],
  application_erased: ['Application erased', 'erased application'],
  application_history_read: ['Application history read', 'read the history of application'],
  application_read: ['Application viewed', 'viewed application', { didMany: 'viewed applications' }],
  application_status_read: ['Application status read', 'read the status of application'],
  application_submitted: ['Application submitted', 'submitted application'],
  applications_downloaded: ['Applications downloaded', 'downloaded applications from'],
  applications_expired: ['Expired applications erased', 'erased expired applications from'],
  applications_exported: ['Applications exported', 'exported applications from'],
  applications_listed: ['Applications listed', 'viewed the list of applications in'],
  applications_loaded: ['Applications loaded', 'loaded applications into'],
  audit_log_downloaded: ['Audit log downloaded', 'downloaded', { after: 'log' }],
  audit_pruned: ['Audit log pruned', 'moved old audit entries to'],
  changes_read: ['Changes read', 'read changes from'],
  civiform_allowance_set: ['Clock allowance set', 'set the clock allowance for'],
  civiform_deletions_accepted: ['Deletions accepted', 'accepted deletions in'],
  civiform_followed: ['Following started', 'started following'],
  civiform_moved: ['Move confirmed', 'confirmed the move of'],
  civiform_restored: ['Restore reported', 'reported a restore of'],
  civiform_rolled_back: ['Rollback detected', 'detected a rollback of'],
  client_opened: ['Client opened', 'opened client'],
  client_codes_revoked: ['Client codes revoked', 'revoked the client codes seen by'],
  docs_regeneration_asked: ['Docs regeneration requested', 'requested new docs for'],
  file_downloaded: ['File downloaded', 'downloaded file'],
  identity_forgotten: [
    'OpenID account unlinked',
    'unlinked the OpenID account of',
    { own: 'unlinked their OpenID account' },
  ],
  identity_remembered: [
    'OpenID account linked',
    'linked the OpenID account of',
    { own: 'linked their OpenID account' },
  ],
  intake_paused: ['Intake paused', 'paused intake for'],
  intake_resumed: ['Intake resumed', 'resumed intake for'],
  intermediary_added: ['Intermediary added', 'added intermediary'],
  intermediary_disabled: ['Intermediary disabled', 'disabled intermediary'],
  intermediary_enabled: ['Intermediary enabled', 'enabled intermediary'],
  intermediary_organization_added: ['Organization added', 'added intermediary organization'],
  intermediary_organization_disabled: ['Organization disabled', 'disabled intermediary organization'],
  intermediary_organization_enabled: ['Organization enabled', 'enabled intermediary organization'],
  intermediary_organization_renamed: ['Organization renamed', 'renamed intermediary organization'],
  job_retried: ['Job retried', 'retried job'],
  load_begun: ['Load started', 'started a load into'],
  load_given_up: ['Load stopped', 'stopped a load into'],
  time_zone_chosen: ['Time zone chosen', 'chose a time zone for', { own: 'chose a time zone' }],
  password_changed: ['Password changed', 'changed the password of', { own: 'changed their password' }],
  password_chosen: ['Password chosen', 'chose a password for', { own: 'chose a password' }],
  person_disabled: ['Person disabled', 'disabled person'],
  person_edited: ['Person edited', 'edited person'],
  person_enabled: ['Person enabled', 'enabled person'],
  person_invited: ['Person invited', 'invited'],
  person_invited_again: ['Invitation renewed', 'created a new invitation link for'],
  program_draft_discarded: ['Draft discarded', 'discarded the draft of'],
  program_draft_saved: ['Draft saved', 'saved a draft of'],
  program_imported: ['Program imported', 'imported program'],
  program_published: ['Program published', 'published program'],
  program_retention_set: ['Retention period changed', 'changed the retention period for'],
  recovery_code_used: ['Recovery code used', 'used a recovery code for', { own: 'used a recovery code' }],
  second_factor_reset: [
    'Two-factor authentication reset',
    'reset two-factor authentication for',
    { own: 'reset their two-factor authentication' },
  ],
  second_factor_set: [
    'Two-factor authentication set up',
    'set up two-factor authentication for',
    { own: 'set up two-factor authentication' },
  ],
  sign_in_failed: ['Sign-in failed', 'failed to sign in as'],
  signed_in: ['Signed in', 'signed in as', { own: 'signed in' }],
  signed_out: ['Signed out', 'signed out as', { own: 'signed out' }],
  signed_out_everywhere: [
    'Signed out on all devices',
    'signed out on all devices as',
    { own: 'signed out on all devices' },
  ],
  webhook_added: ['Webhook added', 'added a webhook to'],
  webhook_changed: ['Webhook URL changed', 'changed a webhook URL for'],
  webhook_disabled: ['Webhook disabled', 'disabled a webhook for'],
  webhook_enabled: ['Webhook enabled', 'enabled a webhook for'],
  webhook_given_up: ['Webhook stopped after failures', 'stopped a webhook for'],
  webhook_removed: ['Webhook removed', 'removed a webhook from'],
  webhook_resent: ['Message resent', 'resent the last message to a webhook for'],
  webhook_secret_rotated: ['Webhook secret rotated', 'rotated a webhook secret for'],
  webhook_tested: ['Webhook tested', 'tested a webhook for'],
}

const textOf = (action: string): ActionText | undefined => (Object.hasOwn(texts, action) ? texts[action] : undefined)

/** The label of an action. An action of another release has its name in words. */
export const actionLabel = (action: string): string => textOf(action)?.[0] ?? capitalized(action.replaceAll('_', ' '))

export const capitalized = (words: string): string => (words[0] ?? '').toUpperCase() + words.slice(1)

const intakePhrases: Readonly<Record<string, string>> = { ...intakeLabels, OPEN: 'opened' }

/** The words for an event's action. */
export function phraseOf({ action, detail }: Pick<AuditEventRow, 'action' | 'detail'>): Phrase {
  if (action === 'application_annotated' && detail.status_changed === true)
    return {
      did: 'set the status of application',
      didMany: 'set the status of applications',
      after: `to ${detail.status ?? 'none'}`,
    }
  if (action === 'program_intake_set' && detail.before !== detail.intake_state)
    return { did: (intakePhrases[String(detail.intake_state)] ?? 'changed the intake for').toLowerCase() }
  const [, did, more] = textOf(action) ?? ['', actionLabel(action)]
  return { did, ...more }
}
