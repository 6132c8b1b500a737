// scripts/load: loads applications from NDJSON in the export's own format, so whatever an export returns can be loaded.

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

Loads applications: each line is one application object, as in an export, or one page of an export
({"payload":[…],"nextPageToken":…}). - reads standard input. All lines are checked first: if any is invalid, every error is listed
and nothing is loaded. Valid lines are stored in batches. Submissions wait for one batch, not for the whole load.

To continue an interrupted load, run it again with the same input. Nothing is loaded twice. Until it is finished, no other load into
its programs can start, and their Snapshot-Time does not advance.

  --program     Accept only applications to this program, and reject files with others.
  --front-end   The form front end for applicants that don't exist yet; its keys can continue with them. Without it, they belong to
                none, and no key can reach them. Existing applicants stay with their front end.
  --instead-of  Ends an unfinished load and continues with another input that contains the remaining lines, corrected.
  --unfinished  Lists unfinished loads.
  --give-up     Ends an unfinished load. What it has stored stays.

IDs are kept, so they must be free. The programs must exist, with the versions that the applications name. Lines must be in order of
submit_time, and later than the program's last submission before the load; a program without submissions accepts any past time.
Load a program's whole history in one go: cat 2024.ndjson 2025.ndjson | scripts/load -
Checked lines wait in a temporary table on the database's disk until they are stored.`

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
    if (path !== undefined || asked > 1)
      throw usage('--unfinished and --give-up cannot be combined with other options.')
    return loadId === undefined ? listUnfinished : context => giveUp(context, loadId)
  }
  if (path === undefined) throw usage('Enter one file, or - for standard input.')
  const insteadOf = readLoadId('--instead-of', others['instead-of'])
  const frontEnd = readFrontEnd(others['front-end'])
  if (path !== '-' && (await stat(path)).isDirectory())
    throw new Problem('invalid_request', { detail: `${path} is a directory, not a file.` })
  return context => load(context, { path, programSlug, frontEnd, insteadOf })
}

function readLoadId(option: string, text: string | undefined): number | undefined {
  if (text === undefined || /^[1-9][0-9]{0,14}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw usage(`${option} must be the number of a load, as listed by --unfinished, not "${text}".`)
}

/** Larger chunks than the usual 64 KB: fewer turns of the event loop for the same bytes. */
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
      console.log(
        `This input was already loaded; the load ended at ${formatMicros(before.endedAt)}. Nothing is loaded twice.`,
      )
      return
    }
    if (before !== undefined) console.log(`Continued after ${inThousands(before.stored)} applications loaded earlier.`)
    for (const { slug, applications: loaded } of programs)
      console.log(`Loaded ${inThousands(loaded)} applications to ${slug}.`)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    console.log(applications === 0 ? 'There was nothing to load.' : `The load took ${seconds} s.`)
  } finally {
    progress.stop()
  }
}

async function listUnfinished({ sql }: ScriptContext): Promise<void> {
  const loads = await readUnfinishedLoads(sql)
  if (loads.length === 0) console.log('There are no unfinished loads.')
  for (const { load_id, source, slugs, stored, applications, begun_at, begun_by } of loads)
    console.log(
      `${load_id}: ${source} into ${slugs.join(', ')}: ${inThousands(stored)} of ${inThousands(applications)} applications, started ${formatMicros(begun_at)} by ${begun_by}`,
    )
}

async function giveUp({ sql, actor }: ScriptContext, loadId: number): Promise<void> {
  const { source, stored, applications } = await giveUpLoad(sql, loadId, actor)
  console.log(
    `Load ${loadId} of ${source} was ended, with ${inThousands(stored)} of ${inThousands(applications)} applications stored.`,
  )
}

await runOnly(help, command(['file?'], options, planned))
