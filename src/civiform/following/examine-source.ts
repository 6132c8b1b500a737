// Checks before the first copy whether copying is possible, what can't be mapped, and how long it will take.

import type { Sql } from '../../db/client.ts'
import { readPrograms } from '../../db/programs/programs.ts'
import { programFamilies } from '../catalogue/program-families.ts'
import {
  applicantVersion,
  missingNames,
  readCondition,
  readEvolution,
  readIdentity,
  readLayout,
  type SourceLayout,
} from '../db/source.ts'
import { readSourcePrograms, readSourceQuestions } from '../db/source-catalogue.ts'
import { maySeeTransactions, readWriters } from '../db/source-watermark.ts'
import type { Finding } from '../definitions/catalogue-version.ts'
import { type FollowOptions, isUntried, newestEvolution, whyMissing } from '../source/followed-source.ts'
import { preparedTransactions } from '../source/watermark.ts'

/** `error`: nothing can be followed until it is fixed. `notice`: following is possible, and an operator should know. */
export interface Examined {
  kind: 'error' | 'notice' | 'good'
  code: string
  text: string
}

type Report = (kind: Examined['kind'], code: string, text: string) => void

/** Applications of about 4 KB that one follower copies per second from a busy database: the measured number, more than halved. */
const copiedPerSecond = 1000

export async function examineSource(source: Sql, sql: Sql, options: FollowOptions): Promise<Examined[]> {
  const reported: Examined[] = []
  const report: Report = (kind, code, text) => void reported.push({ kind, code, text })
  const layout = await readLayout(source)
  if (layout.missing.length > 0)
    report('error', 'missing', `Missing: ${missingNames(layout).join(', ')}: ${whyMissing(layout)}.`)
  if (layout.notGranted.length > 0)
    report('error', 'not_granted', `The role may not read ${layout.notGranted.join(', ')}. Grant SELECT on them.`)
  if (layout.missing.length > 0 || layout.notGranted.length > 0) return reported
  report(
    'good',
    'database',
    `The database is ${await readIdentity(source)}, at evolution ${await readEvolution(source)}.`,
  )
  if (isUntried(layout))
    report(
      'notice',
      'untried',
      `Evolution ${newestEvolution} is the newest tested. Compare some applications before you move clients here.`,
    )
  const condition = await readCondition(source, options.databaseZone)
  if (condition.inRecovery)
    report('error', 'standby', 'It is a standby, which cannot report submissions in progress. Use the primary.')
  if (condition.prepared > 0)
    report(
      'error',
      'prepared_transactions',
      `Nothing can be copied yet because of ${preparedTransactions(condition.prepared)}.`,
    )
  reportRole(condition, report)
  if (options.profile === 'origin' && !layout.readable.has(applicantVersion))
    report(
      'notice',
      'row_versions',
      "Changes to applicants' own records are found once a day. Grant SELECT (xmin) ON applicants to find them with each comparison.",
    )
  reportClock(condition.newestAheadSeconds, options, report)
  const statistics = await maySeeTransactions(source)
  report(
    statistics ? 'good' : 'notice',
    statistics ? 'transactions_seen' : 'locks_seen',
    `Submissions in progress by ${(await readWriters(source)).join(', ')} are detected by ${statistics ? 'when their transactions began' : 'their locks, since the role lacks pg_read_all_stats'}.`,
  )
  const own = (await readPrograms(sql)).find(program => program.origin_name === null)
  if (own !== undefined)
    report(
      'error',
      'own_programs',
      `This installation has its own programs, such as "${own.slug}". Use an empty database.`,
    )
  for (const finding of await readFindings(source, layout, options))
    report('notice', finding.kind, `${finding.subject}: ${finding.detail}.`)
  const { submitted, withoutTime, bytes } = condition
  const minutes = Math.max(1, Math.ceil(submitted / copiedPerSecond / 60))
  report(
    'good',
    'first_copy',
    `${submitted} applications${withoutTime > 0 ? `, ${withoutTime} of them without a time,` : ''} in ${Math.ceil(bytes / 1_048_576)} MB: ` +
      `the first copy takes about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
  )
  return reported
}

function reportRole({ superuser, canWrite }: Awaited<ReturnType<typeof readCondition>>, report: Report): void {
  if (superuser) report('notice', 'superuser', 'The role is a superuser. A read-only role is enough, and safer.')
  else if (canWrite.length > 0)
    report(
      'notice',
      'may_write',
      `The role may write (${canWrite.slice(0, 3).join('; ')}). The follower never writes; a read-only role is safer.`,
    )
  else report('good', 'read_only', 'The role is read-only.')
}

function reportClock(aheadSeconds: number | null, { databaseZone, slackMs }: FollowOptions, report: Report): void {
  if (aheadSeconds === null) return
  if (aheadSeconds > slackMs / 1000)
    report(
      'error',
      'clock',
      `The newest application was submitted ${Math.round(aheadSeconds)} s in the future, in the time zone ${databaseZone}. Add ?timezone= and the zone of CiviForm's servers to CIVIFORM_DATABASE_URL, or correct their clocks.`,
    )
  else report('good', 'clock', `Times are in ${databaseZone}; none is ahead of the database clock.`)
}

async function readFindings(source: Sql, layout: SourceLayout, { databaseZone }: FollowOptions): Promise<Finding[]> {
  const programs = await readSourcePrograms(source, databaseZone, layout)
  return programFamilies(programs, await readSourceQuestions(source), new Set()).findings
}
