// Loads applications from NDJSON in the export's own shape: what an export gives, this takes.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Problem } from '../../src/base/problem.ts'
import { loadLines } from '../../src/core/load/load-lines.ts'
import { giveUpLoad } from '../../src/core/load/storing/store-load.ts'
import { readPresentTime } from '../../src/db/database-clock.ts'
import { readUnfinishedLoads } from '../../src/db/loads/bulk-loads.ts'
import { formatMicros } from '../../src/domain/values/offset-time.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { readFrontEnd } from '../command-line/front-end-option.ts'
import { inThousands, startProgress } from '../command-line/progress.ts'
import { command, type Run, runOnly } from '../command-line/script-commands.ts'

const help = `Usage: scripts/load <file.ndjson | -> [--program <slug>] [--front-end <name>] [--instead-of <load>]
       scripts/load --unfinished
       scripts/load --give-up <load>

Loads applications: one application object a line, as an export gives it, or one page of an export
({"payload":[…],"nextPageToken":…}) a line. - reads standard input. All lines are checked first: when any is wrong nothing is
loaded, and each is named with the reason. Then they are stored batch by batch. Submissions wait for a batch, not for the load.

A load that was interrupted, however that was, continues where it stopped when it is run again with the same input. Nothing is
loaded twice. Until then it is unfinished: no other load into its programs begins, and their Snapshot-Time stays where it is.

  --program     Take only applications of this program, and refuse a file with others.
  --front-end   Applicants that are not there yet belong to this form front end: its keys can continue with them. Without it they
                belong to none, and no key can reach them. Those that are there stay with the one they have.
  --instead-of  Ends an unfinished load, and continues in its place with another input: with what is still to come, corrected.
  --unfinished  Lists the loads that have not ended.
  --give-up     Ends one that is not to continue. What is stored of it stays.

Ids are kept, so they must be free; the programs must be there, with the versions that the applications name. Lines are in
order of submit_time, and later than what was submitted before the load; a program without submissions takes any past
time. Load all history of a program in one go, such as: cat 2024.ndjson 2025.ndjson | scripts/load -
What was checked waits in a temporary table until it is stored, on the disk of the database.`

const text = { type: 'string' } as const
const options = {
  program: text,
  'front-end': text,
  'instead-of': text,
  unfinished: { type: 'boolean', default: false },
  'give-up': text,
} as const

interface Given {
  program?: string
  'front-end'?: string
  'instead-of'?: string
  unfinished: boolean
  'give-up'?: string
}

async function planned(given: Given, path: string | undefined): Promise<Run> {
  const { unfinished, program: programSlug, ...others } = given
  const loadId = readLoadId('--give-up', others['give-up'])
  if (unfinished || loadId !== undefined) {
    const asked = Object.values(given).filter(value => value !== false).length
    if (path !== undefined || asked > 1) throw usage('--unfinished and --give-up take no other option.')
    return loadId === undefined ? listUnfinished : context => giveUp(context, loadId)
  }
  if (path === undefined) throw usage('Name one file, or - for standard input.')
  const insteadOf = readLoadId('--instead-of', others['instead-of'])
  const frontEnd = readFrontEnd(others['front-end'])
  if (path !== '-' && (await stat(path)).isDirectory())
    throw new Problem('invalid_request', { detail: `${path} is a directory, not a file.` })
  return context => load(context, { path, programSlug, frontEnd, insteadOf })
}

function readLoadId(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9][0-9]{0,14}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw usage(`${option} takes the number of a load, as --unfinished lists it, not "${text}".`)
}

/** Larger pieces than the usual 64 KB: fewer turns of the event loop for the same bytes. */
const pieceBytes = 256 * 1024

interface Input {
  path: string
  programSlug: string | undefined
  frontEnd: string | undefined
  insteadOf: number | undefined
}

async function load({ sql, config, actor }: ScriptContext, input: Input): Promise<void> {
  const { path, programSlug, frontEnd, insteadOf } = input
  const startedMs = performance.now()
  const inputBytes = path === '-' ? undefined : (await stat(path)).size
  // Checking is one half of the bar, storing the other.
  const progress = startProgress(inputBytes === undefined ? undefined : inputBytes * 2)
  let bytesRead = 0
  try {
    const bytes = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: pieceBytes })
    const { applications, programs, before } = await loadLines(sql, bytes, {
      now: await readPresentTime(sql),
      timeZone: config.timeZone,
      actor,
      source: path === '-' ? 'standard input' : basename(path),
      frontEnd,
      insteadOf,
      programSlug,
      onBytes: more => {
        bytesRead += more
        progress.update(bytesRead, 'checking')
      },
      onProgress: (stored, total) =>
        progress.update(
          bytesRead * (1 + stored / total),
          `${inThousands(stored)} of ${inThousands(total)} applications`,
        ),
    })
    progress.stop()
    if (before?.endedAt !== undefined) {
      console.log(`This input was loaded already, until ${formatMicros(before.endedAt)}. Nothing is loaded twice.`)
      return
    }
    if (before !== undefined) console.log(`Continued after ${inThousands(before.stored)} that were loaded before.`)
    for (const { slug, applications: loaded } of programs)
      console.log(`Loaded ${inThousands(loaded)} applications to ${slug}.`)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(applications === 0 ? 'There was nothing to load.' : `It took ${seconds} s.`)
  } finally {
    progress.stop()
  }
}

async function listUnfinished({ sql }: ScriptContext): Promise<void> {
  const loads = await readUnfinishedLoads(sql)
  if (loads.length === 0) console.log('Every load has ended.')
  for (const { load_id, source, slugs, stored, applications, begun_at, begun_by } of loads)
    console.log(
      `${load_id}: ${source} into ${slugs.join(', ')}: ${inThousands(stored)} of ${inThousands(applications)} applications, ` +
        `begun ${formatMicros(begun_at)} by ${begun_by}`,
    )
}

async function giveUp({ sql, actor }: ScriptContext, loadId: number): Promise<void> {
  const { source, stored, applications } = await giveUpLoad(sql, loadId, actor)
  console.log(
    `Load ${loadId} of ${source} has ended with ${inThousands(stored)} of ${inThousands(applications)} applications stored.`,
  )
}

await runOnly(help, command(['file?'], options, planned))
