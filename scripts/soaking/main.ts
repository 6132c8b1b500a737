// scripts/soak: an installation of its own under load and faults, and what came of it.

import { parseArgs } from 'node:util'
import { type Rng, seededRandom } from '../../src/domain/random/seeded-random.ts'
import { Problem } from '../../src/problem.ts'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { printTable } from '../command-line/text-table.ts'
import { administer, follow, Ledger, poll, publishVersion, walk, walkOn, write } from './actors.ts'
import { checkAll } from './final-checks.ts'
import { faults, type Infliction } from './inflictions.ts'
import { issueKey, startInstallation } from './installation.ts'
import { Client } from './patient-client.ts'
import { everyView, hiddenQuestions } from './views.ts'

const help = `Usage: scripts/soak [--minutes <number>] [--only <fault>] … [--writers <number>] [--seed <number>] [--calm]

Starts PostgreSQL, Redis if there is one, two services and a worker on loopback; has ${faults.length} kinds of faults happen to them, one after the
other, each kind as often as every other, while front ends submit, clients walk, poll and follow the changes, and an administrator sets
statuses and publishes versions in another order and with questions inserted. Those who walk and poll do so in every format, with all
questions or some, and with a key from which questions are hidden. At the end everything that was acknowledged must be there, in every walk that began later, once in the windows of
those that poll, and once, in order, in the change feed; the audit log must be whole, and memory and connections given back.

  --minutes   How long; 5 unless given. Every kind of fault happens once at least, whatever that takes.
  --only      Only this kind of fault, which may be given several times: ${faults.map(({ name }) => name).join(', ')}
  --writers   How many submit at a time; 8 unless given.
  --seed      Of the order of faults and of what those who walk and poll choose, as in the run that printed this seed.
  --calm      No faults at all.`

/** Between two faults, for as long as it takes to have everything again. */
const pauseMs = { least: 500, most: 2000 }

interface Happened {
  times: number
  /** Until a walk and a submission went through again, in all. */
  recoveryMs: number
  notTried: string | undefined
}

showHelpIfAsked(help)
process.exit(await exitCode(soak))

/** What the command line says. */
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

async function soak(): Promise<void> {
  const { minutes, writers, seed, wanted } = askedFor()
  const installation = await startInstallation()
  const ledger = new Ledger()
  const happened = new Map<string, Happened>(
    wanted.map(({ name }) => [name, { times: 0, recoveryMs: 0, notTried: undefined }]),
  )
  let client: Client
  try {
    await publishVersion(installation, ledger)
    const key = await issueKey(installation)
    const { authorization } = key
    const keys = [key, await issueKey(installation, hiddenQuestions)]
    const plain = everyView(keys)[0]!
    client = new Client(installation, authorization, ledger.note)
    say(`--seed ${seed}`)
    const stop = new AbortController()
    const working = Promise.all([
      ...Array.from({ length: writers }, () => write(client, ledger, stop.signal)),
      walkOn(client, ledger, keys, seededRandom(seed), stop.signal),
      walkOn(client, ledger, keys, seededRandom(seed + 1), stop.signal),
      administer(installation, ledger, seededRandom(seed + 4), stop.signal),
    ])
    const watching = new AbortController()
    const following = Promise.all([
      poll(client, ledger, keys, seededRandom(seed + 2), watching.signal),
      follow(client, ledger, watching.signal),
    ])
    const random = seededRandom(seed + 3)
    const endMs = performance.now() + minutes * 60_000
    for (let round = 0; round === 0 || performance.now() < endMs; round++) {
      if (wanted.length === 0) await Bun.sleep(endMs - performance.now())
      for (const fault of shuffled(wanted, random)) {
        if (round > 0 && performance.now() > endMs) break
        await Bun.sleep(pauseMs.least + random() * (pauseMs.most - pauseMs.least))
        say(fault.name)
        await happen(fault, happened.get(fault.name)!)
      }
    }
    say('settling')
    stop.abort()
    await working
    say('all have stopped')
    watching.abort()
    await following
    say('comparing')
    await checkAll(installation, client, ledger, keys)

    async function happen(fault: Infliction, record: Happened): Promise<void> {
      const beganMs = performance.now()
      record.notTried = fault.isBeyond?.(installation)
      if (record.notTried !== undefined) return
      await fault.run(installation, authorization, random)
      // Back is who answers a walk to its end.
      await walk(client, ledger, plain, 'pageSize=1000&toDate=2000-01-01')
      record.times++
      record.recoveryMs += performance.now() - beganMs
    }
  } finally {
    await installation.stop()
  }
  report(ledger, happened, client)
  if (ledger.broken.length > 0)
    throw new Problem('internal', { detail: `${ledger.broken.length} promises were broken.` })
}

/** Progress on the terminal. */
function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

function report(ledger: Ledger, happened: ReadonlyMap<string, Happened>, { patience }: Client): void {
  const rows = [...happened].map(([name, { times, recoveryMs, notTried }]) => [
    name,
    String(times),
    notTried === undefined ? `${(recoveryMs / times / 1000).toFixed(1)} s` : `not tried: ${notTried}`,
  ])
  printTable([['Fault', 'Times', 'Until all was well, with the fault'], ...rows])
  console.log(
    `\n${ledger.acknowledged.length} submissions acknowledged, ${ledger.walks} walks of ${ledger.pages} pages, ` +
      `${ledger.followed.length} changes followed, ${ledger.publications} versions published; ${patience.repeats} requests repeated, ` +
      `the longest wait ${(patience.longestMs / 1000).toFixed(1)} s.`,
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

function shuffled<T>(list: readonly T[], random: Rng): T[] {
  return list
    .map(item => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function numberFrom(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= least && value <= most) return value
  throw usage(`${name} must be a number from ${least} to ${most}.`)
}
