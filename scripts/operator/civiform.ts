// scripts/civiform: checks whether a CiviForm can be followed and, later, whether both systems export the same applications.

import {
  allowanceMsMax,
  civiformQuestionKey,
  countKept,
  describeAhead,
  differences,
  type Exported,
  examineSource,
  findFollowState,
  followOptionsOf,
  isDeliberate,
  isUntried,
  newestEvolution,
  openSource,
  type PropertyDifference,
  readFindings,
  readSourceQuestions,
  settleAllowance,
  settleDeletions,
  settleMove,
  settleRestore,
  summarize,
} from '@tributary/civiform/commands'
import { ofDatabase } from '../../src/base/failure.ts'
import { Problem } from '../../src/base/problem.ts'
import { parseDuration } from '../../src/config/kinds/durations.ts'
import type { Sql } from '../../src/db/client.ts'
import { formatMicros } from '../../src/domain/values/offset-time.ts'
import { type ScriptContext, serviceAddress, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands, wholeNumber } from '../command-line/script-commands.ts'
import { readSample, readThese } from './civiform-pages.ts'

const help = `Usage: scripts/civiform check
       scripts/civiform status
       scripts/civiform compare --program <slug> [--sample 100] [--at <address of this service>]
                                  [--civiform <address of CiviForm's API>] [--values]
       scripts/civiform accept-deletions
       scripts/civiform moved
       scripts/civiform restored
       scripts/civiform allowance --set <duration>

check             Checks whether the database in CIVIFORM_DATABASE_URL can be followed: role, columns, clock, what can't be
                  mapped, and how long the first copy takes. Changes nothing.
status            Shows the progress of following, and what could not be copied exactly.
compare           Fetches the same applications from CiviForm's API (--civiform, or CIVIFORM_BASE_URL) and from this service,
                  with one CiviForm API key in CIVIFORM_API_KEY (id:secret), and lists every property that differs.
                  Deliberate differences of the profile contract are listed separately.
                  --values shows both values, which are applicants' data.
accept-deletions  For one day, applies deletions in CiviForm regardless of how many applications are missing.
moved             Confirms that CIVIFORM_DATABASE_URL points to the followed database, now on another server.
restored          Reports that CiviForm's database was restored to an earlier state. What it lost is removed here, and
                  everything is compared. The follower detects most restores automatically.
allowance         Sets, for one day, how far the clocks of CiviForm's servers may lag: 30s, 500ms; 0s for the usual two seconds,
                  the minimum. status shows the value.`

/** In milliseconds. */
function parseAllowance(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms > allowanceMsMax)
    throw usage(`--set must be a duration of at most ${allowanceMsMax / 1000}s, such as 30s.`)
  return ms
}

async function check({ sql, config }: ScriptContext): Promise<void> {
  await withSource({ config }, async source => {
    const reported = await examineSource(source, sql, followOptionsOf(config))
    for (const { kind, code, text } of reported)
      console.log(`${{ error: 'ERROR ', notice: 'notice', good: 'good  ' }[kind]}  ${text} [${code}]`)
    if (reported.some(examined => examined.kind === 'error'))
      throw new Problem('conflict', { detail: 'The database cannot be followed yet. See the errors above.' })
  })
}

async function status({ sql }: ScriptContext): Promise<void> {
  const state = await findFollowState(sql)
  if (state === undefined) throw new Problem('conflict', { detail: 'This installation does not follow a CiviForm.' })
  const time = (instant: number | null): string => (instant === null ? 'not yet' : formatMicros(instant))
  console.log(`Database:              ${state.identity}`)
  if (isUntried(state))
    console.log(`Evolution:             ${state.evolution}, newer than any tested (${newestEvolution})`)
  console.log(`Programs:              ${state.catalogue ?? 'not yet'}`)
  console.log(`Applications:          ${await countKept(sql)}`)
  console.log(`Complete up to:        ${time(state.watermark)}`)
  console.log(`First copy ended:      ${time(state.first_copied_at)}`)
  console.log(
    `Last reached:          ${time(state.reached_at)}${state.last_error === null ? '' : ` (last error: ${state.last_error})`}`,
  )
  console.log(`All compared:          ${time(state.scan_ended_at)}`)
  console.log(`Last full read:        ${time(state.whole_scan_ended_at)}`)
  console.log(`Below a watermark:     ${state.late_applications}`)
  console.log(
    `Clock allowance:       ${state.slack_ms} ms${state.slack_widened_at === null ? '' : `, raised for one day at ${time(state.slack_widened_at)}`}`,
  )
  if (state.ahead_applications > 0) console.log(`A clock is ahead:      ${describeAhead(state)}`)
  if (state.rolled_back_at !== null)
    console.log(
      `Commits lost there:    ${state.rollbacks === 1 ? 'once' : `${state.rollbacks} times`}, last seen ${time(state.rolled_back_at)}; ` +
        `${state.scan_whole ? `comparing everything, up to application ${state.scan_after}` : 'everything has been compared since'}`,
    )
  for (const { kind, subject, detail } of await readFindings(sql)) console.log(`${kind}: ${subject}: ${detail}`)
}

interface Comparison {
  program?: string
  sample: string
  at?: string
  civiform?: string
  values: boolean
}

function compare({ program: slug, sample, at, civiform, values }: Comparison): Run {
  if (slug === undefined) throw usage('--program is required.')
  const applications = wholeNumber('--sample', sample, 999_999)
  return async ({ config }) => {
    const key = process.env.CIVIFORM_API_KEY
    if (key === undefined || !key.includes(':'))
      throw usage('CIVIFORM_API_KEY must be set to the id:secret of a CiviForm API key.')
    const theirUrl = civiform ?? config.civiformBaseUrl
    if (theirUrl === '') throw usage('Set CIVIFORM_BASE_URL or use --civiform.')
    const theirs = await readSample({ baseUrl: theirUrl, slug, key }, applications)
    const own = { baseUrl: at ?? serviceAddress(config), slug, key }
    const { found: ours, others } = await readThese(own, theirs, theirs.length < applications)
    const missing = theirs
      .filter(application => !ours.has(application.application_id))
      .map(application => application.application_id)
    const primaryKeys = await readPrimaryKeys(config)
    const deliberate: { application_id: number; differences: PropertyDifference[] }[] = []
    const found = theirs.flatMap(application => {
      const own = ours.get(application.application_id)
      if (own === undefined) return []
      const { application_id } = application
      const expected = { slug, byApplicant: own.submitter_type === 'APPLICANT', primaryKeys }
      const all = Map.groupBy(
        differences(application, own),
        propertyDifference => config.exportProfile === 'contract' && isDeliberate(propertyDifference, expected),
      )
      if (all.has(true)) deliberate.push({ application_id, differences: all.get(true)! })
      return [{ application_id, differences: all.get(false) ?? [] }]
    })
    const equal = found.filter(item => item.differences.length === 0).length
    console.log(
      `${theirs.length} compared: ${equal} equal, ${found.length - equal} different, ${missing.length} missing here, ${others.length} missing in CiviForm.`,
    )
    for (const { place, applications } of summarize(deliberate))
      console.log(`Deliberate difference of the profile: ${place}, in ${applications}`)
    if (missing.length > 0)
      console.log(`Missing here: ${missing.slice(0, 20).join(', ')}${missing.length > 20 ? ', …' : ''}`)
    if (others.length > 0)
      console.log(`Missing in CiviForm: ${others.slice(0, 20).join(', ')}${others.length > 20 ? ', …' : ''}`)
    for (const { place, applications, example, theirs: there, ours: here } of summarize(found)) {
      console.log(
        `${place}: ${applications} ${applications === 1 ? 'application' : 'applications'}, such as ${example}`,
      )
      if (values)
        console.log(`  CiviForm: ${shown(there)}
  here:     ${shown(here)}`)
    }
    if (found.length > equal || missing.length + others.length > 0)
      throw new Problem('conflict', { detail: 'The exports differ.' })
  }
}

/** Keys of questions tagged as the primary applicant's, if CiviForm's database responds. */
async function readPrimaryKeys(config: ScriptContext['config']): Promise<Set<string>> {
  const keys = new Set<string>()
  if (config.civiformDatabase !== undefined)
    await withSource({ config }, async source => {
      for (const { name, question_tags } of await readSourceQuestions(source))
        if (question_tags?.some(tag => tag.startsWith('PRIMARY_APPLICANT_'))) keys.add(civiformQuestionKey(name))
    })
  return keys
}

const shown = (value: Exported | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value))

async function withSource(
  { config }: Pick<ScriptContext, 'config'>,
  work: (source: Sql) => Promise<void>,
): Promise<void> {
  if (config.civiformDatabase === undefined) throw usage('CIVIFORM_DATABASE_URL must be set.')
  const source = openSource(config.civiformDatabase.url)
  try {
    await ofDatabase('CIVIFORM_DATABASE_URL', () => source`select 1`)
    await work(source)
  } finally {
    await source.end({ timeout: 1 })
  }
}

const text = { type: 'string' } as const

await runCommands(help, {
  check: command([], {}, () => check),
  status: command([], {}, () => status),
  compare: command(
    [],
    {
      program: text,
      sample: { ...text, default: '100' },
      at: text,
      civiform: text,
      values: { type: 'boolean', default: false },
    },
    compare,
  ),
  'accept-deletions': command(
    [],
    {},
    () =>
      async ({ sql, actor }) =>
        settleDeletions(sql, actor),
  ),
  moved: command([], {}, () => async context => {
    await withSource(context, async source => {
      const { from, to } = await settleMove(context.sql, source, context.actor)
      console.log(`Moved from ${from} to ${to}.`)
    })
  }),
  restored: command(
    [],
    {},
    () =>
      async ({ sql, actor }) =>
        settleRestore(sql, actor),
  ),
  allowance: command([], { set: text }, ({ set }) => {
    if (set === undefined) throw usage('--set is required.')
    const allowanceMs = parseAllowance(set)
    return async ({ sql, actor }) => settleAllowance(sql, allowanceMs, actor)
  }),
})
