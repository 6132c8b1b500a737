// scripts/soak: runs an installation under load and faults, and reports the outcome.

import { parseArgs } from 'node:util'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { printTable } from '../command-line/text-table.ts'
import type { Soaked } from './final-checks.ts'
import { faults, type Infliction } from './inflictions.ts'
import { startInstallation } from './installation/installation.ts'
import { conclude, type Happened, soak } from './soak.ts'

const help = `Usage: scripts/soak [--minutes <number>] [--only <fault>] … [--writers <number>] [--seed <number>] [--calm]

Starts PostgreSQL, Redis if installed, two services and a worker on loopback, and injects ${faults.length} kinds of faults in turn, each equally
often. Meanwhile front ends submit; clients walk, poll, read OData, and follow changes through the feed, a webhook and tributary pull; and
an administrator sets statuses and notes, erases, and publishes versions with questions reordered and inserted. Walks and polls use every
format, with all questions or some, and a key with hidden questions. At the end, everything acknowledged must be there with its answers,
status, note and revision state: in every later walk, exactly once in the polls' windows, once and in order in the change feed, and in the
followers' copies. Nothing erased may be anywhere. The audit log must be intact, and memory and connections released.

  --minutes   Duration. Default: 5. Every kind of fault occurs at least once, however long that takes.
  --only      A kind of fault to inject; can be repeated: ${faults.map(({ name }) => name).join(', ')}
  --writers   Concurrent submitters. Default: 8.
  --seed      Repeats the order of faults and the choices of walks and polls of the run that printed this seed.
  --calm      No faults.`

showHelpIfAsked(help)
process.exit(await exitCode(tried))

/** The parsed command line. */
function askedFor() {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      writers: { type: 'string', default: '8' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      calm: { type: 'boolean', default: false },
    },
  })
  const minutes = numberFrom('--minutes', values.minutes, 0.1, 10_000)
  const writers = numberFrom('--writers', values.writers, 1, 64)
  const seed = numberFrom('--seed', values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), 0, 2 ** 31)
  const wanted = values.calm ? [] : chosen(values.only)
  return { minutes, writers, seed, wanted }
}

async function tried(): Promise<void> {
  const options = askedFor()
  const installation = await startInstallation()
  let result: Awaited<ReturnType<typeof soak>>
  try {
    result = await soak(installation, options)
    await result.stop()
  } finally {
    await installation.stop()
  }
  report(result.soaked, result.happened)
  conclude(result.soaked.ledger)
}

function report({ ledger, client }: Soaked, happened: ReadonlyMap<string, Happened>): void {
  const rows = [...happened].map(([name, { times, recoveryMs, notTried }]) => [
    name,
    String(times),
    notTried === undefined ? `${(recoveryMs / times / 1000).toFixed(1)} s` : `not tried: ${notTried}`,
  ])
  printTable([['Fault', 'Times', 'Recovery time by fault'], ...rows])
  const { submissions, walks, pages, feedWalks, followed, messages, erased, publications } = ledger
  console.log(
    `\n${submissions.size} submissions acknowledged, ${walks} walks of ${pages} pages, ${feedWalks} of OData tables, ` +
      `${followed.length} changes followed, ${messages} webhook messages, ${erased.size} applications erased, ` +
      `${publications} versions published; ${client.patience.repeats} requests repeated, ` +
      `the longest wait ${(client.patience.longestMs / 1000).toFixed(1)} s.`,
  )
  for (const what of ledger.broken) console.log(`BROKEN: ${what}`)
  if (ledger.broken.length === 0) console.log('Every promise was kept.')
}

function chosen(names: readonly string[] | undefined): readonly Infliction[] {
  if (names === undefined) return faults
  return names.map(name => {
    const fault = faults.find(known => known.name === name)
    if (fault === undefined) throw usage(`There is no fault "${name}".`)
    return fault
  })
}

function numberFrom(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= least && value <= most) return value
  throw usage(`${name} must be a number from ${least} to ${most}.`)
}
