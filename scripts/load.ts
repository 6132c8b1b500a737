// Loads applications from NDJSON in the export's own shape: what an export gives, this takes.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { requireInstanceTimeZone } from '../src/db/instance.ts'
import { withIntakePaused } from '../src/intake/pause-intake.ts'
import { loadLines } from '../src/load/load-lines.ts'
import { Problem } from '../src/problem.ts'
import { readCommandLine, runScript, UsageError } from './environment.ts'
import { readFrontEnd } from './front-end-option.ts'
import { inThousands, startProgress } from './progress.ts'

const help = `Usage: scripts/load <file.ndjson | -> [--program <slug>] [--front-end <name>] [--pause-intake]

Loads applications, all of them or none: one application object a line, as an export gives it, or one page of an export
({"payload":[…],"nextPageToken":…}) a line. - reads standard input. Every line that is wrong is named, with the reason.

  --program    Take only applications of this program, and refuse a file with others.
  --front-end  Applicants that are not there yet belong to this form front end: its keys can go on with them. Without it they
               belong to none, and no key can reach them. Those that are there stay with the one they have.
  --pause-intake  With --program: submissions to it are answered with 503 at once while the load runs, instead of waiting for it;
               for ten minutes at most. To load what another system took up to now, pause before: scripts/intake --help.

Ids are kept, so they must be free; the programs must be there, with the versions that the applications name. Lines are in
order of submit_time, and not earlier than what was submitted before; a program that nobody has submitted to takes any past
time. Load all history of a program in one go, such as: cat 2024.ndjson 2025.ndjson | scripts/load -
While a load runs, submissions to the programs it loads into wait, for ten seconds at most.`

interface Load {
  path: string
  programSlug: string | undefined
  frontEnd: string | undefined
  pauseIntake: boolean
}

function parseLoad(args: string[]): Load {
  const { values, positionals } = parseArgs({
    args,
    options: { program: { type: 'string' }, 'front-end': { type: 'string' }, 'pause-intake': { type: 'boolean' } },
    allowPositionals: true,
  })
  const [path] = positionals
  if (path === undefined || positionals.length > 1)
    throw new UsageError('Name one file, or - for standard input. scripts/load --help tells more.')
  const pauseIntake = values['pause-intake'] === true
  if (pauseIntake && values.program === undefined)
    throw new UsageError('--pause-intake needs --program, to say which. scripts/load --help tells more.')
  return { path, programSlug: values.program, frontEnd: readFrontEnd(values['front-end']), pauseIntake }
}

const { path, programSlug, frontEnd, pauseIntake } = await readCommandLine(help, async args => {
  const load = parseLoad(args)
  if (load.path !== '-' && (await stat(load.path)).isDirectory())
    throw new Problem('invalid_request', { detail: `${load.path} is a directory, not a file.` })
  return load
})

/** One core is PostgreSQL's; more than four readers would wait for it. */
const threads = Math.min(4, Math.max(1, availableParallelism() - 1))
/** A load that is killed leaves the intake of its program paused for this long at most. */
const pauseMs = 10 * 60_000
/** Larger pieces than the usual 64 KB: fewer turns of the event loop for the same bytes. */
const pieceBytes = 256 * 1024

await runScript(async ({ sql, config, actor }) => {
  await requireInstanceTimeZone(sql, config.timeZone)
  const startedMs = performance.now()
  const input = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: pieceBytes })
  const inputBytes = path === '-' ? undefined : (await stat(path)).size
  const progress = startProgress(inputBytes)
  let bytesRead = 0
  try {
    const load = () =>
      loadLines(sql, input, {
        now: Date.now() * 1000,
        timeZone: config.timeZone,
        actor,
        frontEnd,
        programSlug,
        threads,
        inputBytes,
        onBytes: bytes => {
          bytesRead += bytes
        },
        onProgress: done => progress.update(bytesRead, `${inThousands(done)} applications`),
      })
    const { applications, programs } =
      pauseIntake && programSlug !== undefined
        ? await withIntakePaused(sql, { slug: programSlug, pauseMs, actor }, load)
        : await load()
    progress.stop()
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    for (const { slug, applications: loaded } of programs)
      console.log(`Loaded ${inThousands(loaded)} applications to ${slug}.`)
    console.log(applications === 0 ? 'There was nothing to load.' : `It took ${seconds} s.`)
  } finally {
    progress.stop()
  }
})
