// Erases a single application, an applicant with all their applications, or applications older than a program's retention period.
//
// Walks stay exact. Numbers that never change fix which applications belong to a walk, and in which order: pages read after an erasure lack
// only the erased application. The application that it had superseded stays OBSOLETE.

import { invalidRequest, notFound, Problem } from '../../base/problem.ts'
import { holdChanges } from '../../db/applications/annotations.ts'
import {
  deleteAbandoned,
  deleteApplicant,
  deleteApplication,
  deleteExpired,
  type ErasedApplication,
  holdApplicant,
  holdForErasure,
  lockRetention,
  measureExpired,
  readExpiry,
  readRetentions,
  updateRetention,
  wasErased,
} from '../../db/applications/erased-applications.ts'
import { appendAuditEvent } from '../../db/audit/audit.ts'
import { type Db, inTransaction, type Sql } from '../../db/client.ts'
import { type LoadRow, lockLoads, readUnfinishedLoads } from '../../db/loads/bulk-loads.ts'
import type { Micros } from '../../domain/values/offset-time.ts'

/** Maximum retention in days. */
export const retentionDaysMax = 36_500
/** Applications erased per transaction, so that none takes long. */
const batchRows = 1000

/** Maximum length of a reason in UTF-16 units. */
export const reasonMax = 200

/** For the audit log: who erases something, and why, without naming anyone. */
interface ErasureOrder {
  /** `admin:<name>`, `operator:<system user>` or `retention`. */
  actor: string
  address?: string | undefined
  /** As returned by `parseReason`. */
  reason: string | undefined
}

/** The reason for the audit log; undefined if it is only spaces. Throws Problem `invalid_request` if it is too long. */
export function parseReason(given = ''): string | undefined {
  const reason = given.trim()
  if (reason.length <= reasonMax) return reason || undefined
  const detail = `Must be at most ${reasonMax} characters.`
  throw invalidRequest('Nothing was erased.', [{ parameter: 'reason', code: 'too_long', detail }])
}

/**
 * Erases one application of a program with its status, notes and their history, the answers in progress that started from it, and, by the worker's
 * next round, its uploaded files. The audit log keeps its ID. Throws Problem `not_found`, which mentions an earlier erasure, or `invalid_request` if
 * the reason is too long.
 */
export async function eraseApplication(sql: Sql, place: ErasedApplication, order: ErasureOrder): Promise<void> {
  const reason = parseReason(order.reason)
  await inTransaction(sql, async tx => {
    await holdForErasure(tx, place)
    if (!(await deleteApplication(tx, place))) {
      const isErased = await wasErased(tx, place)
      const detail = isErased
        ? `Application ${place.application_id} was erased before.`
        : `There is no application ${place.application_id} in this program.`
      throw new Problem('not_found', { detail, ...(isErased && { internal: 'erased_before' }) })
    }
    await appendAuditEvent(tx, {
      actor: order.actor,
      action: 'application_erased',
      subject: String(place.application_id),
      address: order.address,
      detail: { program_id: place.program_id, reason },
    })
  })
}

/**
 * Erases an applicant: every application and all answers in progress in every program, and the applicant. Waits for a submission in progress and
 * erases its application, too; later ones find no applicant. Returns the erased applications. Throws Problem `not_found`, or `conflict` during a bulk
 * load, which might add more of the applicant's applications.
 */
export async function eraseApplicant(sql: Sql, applicantId: number, order: ErasureOrder): Promise<ErasedApplication[]> {
  const reason = parseReason(order.reason)
  return inTransaction(sql, async tx => {
    await lockLoads(tx)
    refuseUnfinished(await readUnfinishedLoads(tx))
    if (!(await holdApplicant(tx, applicantId)))
      throw new Problem('not_found', { detail: `There is no applicant ${applicantId}.` })
    const applications = await deleteApplicant(tx, applicantId)
    await appendAuditEvent(tx, {
      actor: order.actor,
      action: 'applicant_erased',
      subject: String(applicantId),
      address: order.address,
      detail: { applications: applications.map(erased => ({ ...erased })), reason },
    })
    return applications
  })
}

/** The effects of a retention period of this many days. */
export interface RetentionEffect {
  /** Submission time of its oldest application; null without applications. */
  oldest: Micros | null
  /** Number of applications that are already older and would be erased by the next sweep, counted up to `expiredMax`. */
  expired: number
}

export const expiredMax = 10_000

export async function measureRetention(db: Db, programId: number, days: number): Promise<RetentionEffect> {
  return measureExpired(db, programId, await readExpiry(db, days), expiredMax)
}

interface RetentionOrder {
  /** Null if they are kept permanently. */
  days: number | null
  actor: string
  address?: string | undefined
  /** The retention that was displayed when this was decided; undefined if none was. If it differs by now, that is a conflict. */
  seen?: number | null | undefined
  /** The slug, which confirms that existing applications are to be erased. */
  confirmation?: string | undefined
}

/**
 * Sets how many days a program keeps its applications. Requires confirmation if that erases applications that the current setting keeps. Throws
 * Problem `not_found`, `conflict`, or `invalid_request` naming `days` or `confirmation`.
 */
export async function setRetention(sql: Sql, slug: string, order: RetentionOrder): Promise<void> {
  const { days, actor, address, seen, confirmation } = order
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= retentionDaysMax))
    throw refused('days', 'out_of_bounds', `Must be a whole number of days from 1 to ${retentionDaysMax}.`)
  await inTransaction(sql, async tx => {
    const program = (await lockRetention(tx, slug)) ?? notFound(`There is no program "${slug}".`)
    const { program_id, retention_days: before } = program
    if (seen !== undefined && seen !== before)
      throw new Problem('conflict', {
        detail: `Someone else has set this to ${before === null ? 'keep applications permanently' : `${before} days`}, so nothing was changed. Reload the page and try again.`,
      })
    if (before === days) return
    const shorter = days !== null && (before === null || days < before)
    if (shorter && confirmation?.trim() !== slug) {
      const { expired } = await measureRetention(tx, program_id, days)
      if (expired > 0)
        throw refused('confirmation', 'required', `Type "${slug}" to confirm that ${gone(expired)} will be erased.`)
    }
    await updateRetention(tx, program_id, days)
    await appendAuditEvent(tx, {
      actor,
      action: 'program_retention_set',
      subject: slug,
      address,
      detail: { days, before },
    })
  })
}

const gone = (expired: number): string => {
  if (expired === 1) return '1 application'
  return `${expired === expiredMax ? 'at least ' : ''}${expired.toLocaleString('en-US')} applications`
}

const refused = (parameter: string, code: string, detail: string): Problem =>
  invalidRequest('The retention period was not changed.', [{ parameter, code, detail }])

/** The number of erased items in one program. */
interface Expired {
  slug: string
  applications: number
  inProgress: number
}

/**
 * Erases applications older than their program's retention period, oldest first, and answers in progress that have not changed for that long. Each
 * transaction erases `rowsMax`, so the run may be interrupted and repeated. Several processes may run it concurrently.
 */
export async function eraseExpired(sql: Sql, rowsMax = batchRows): Promise<Expired[]> {
  const expired: Expired[] = []
  for (const { program_id, slug, retention_days } of await readRetentions(sql)) {
    const before = await readExpiry(sql, retention_days)
    const erased: Expired = { slug, applications: 0, inProgress: 0 }
    for (let more = true; more; ) {
      await inTransaction(sql, async tx => {
        const inProgress = await deleteAbandoned(tx, program_id, before)
        await holdChanges(tx, program_id)
        const applications = await deleteExpired(tx, program_id, before, rowsMax)
        more = applications.length === rowsMax
        if (applications.length === 0 && inProgress === 0) return
        erased.applications += applications.length
        erased.inProgress += inProgress
        await appendAuditEvent(tx, {
          actor: 'retention',
          action: 'applications_expired',
          subject: slug,
          detail: { retention_days, applications, in_progress: inProgress },
        })
      })
    }
    if (erased.applications + erased.inProgress > 0) expired.push(erased)
  }
  return expired
}

function refuseUnfinished([load]: readonly LoadRow[]): void {
  if (load === undefined) return
  throw new Problem('conflict', {
    detail:
      `Nothing was erased, because load ${load.load_id} from ${load.source} is still running and may add applications of this applicant. ` +
      `Wait until it has finished, or stop it with scripts/load --give-up ${load.load_id}.`,
  })
}
