// One soak: an installation under load and faults, until everything is idle again.

import { Problem } from '../../src/base/problem.ts'
import { type Rng, seededRandom } from '../../src/domain/random/seeded-random.ts'
import { administer } from './actors/administrator.ts'
import { write } from './actors/front-end.ts'
import { followInto } from './actors/mirror.ts'
import { Client } from './actors/patient-client.ts'
import { follow, poll, readFeeds, walk, walkOn } from './actors/readers.ts'
import { publishVersion } from './actors/soaked-versions.ts'
import { receive } from './actors/webhook-receiver.ts'
import { checkAll, type Soaked } from './final-checks.ts'
import type { Infliction } from './inflictions.ts'
import { type Installation, issueKey } from './installation/installation.ts'
import { Ledger } from './seen/ledger.ts'
import { everyView, hiddenQuestions } from './seen/views.ts'

export interface SoakOptions {
  minutes: number
  writers: number
  seed: number
  /** The faults to inject, each at least once; none by default. */
  wanted: readonly Infliction[]
}

export interface Happened {
  times: number
  /** Total time until a walk and a submission succeeded again. */
  recoveryMs: number
  notTried: string | undefined
}

/** Between two faults, as long as it takes to recover. */
const pauseMs = { least: 500, most: 2000 }
const restMs = 60_000
/** A soak erases an application and sets the status of this many others, one of which may still be erased while it ends. */
const withStatusMin = 3

/** Progress on the terminal. */
function say(what: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${what}`)
}

/** Starts everything and compares; the end state can be compared again until `stop`. */
export async function soak(
  installation: Installation,
  { minutes, writers, seed, wanted }: SoakOptions,
): Promise<{ soaked: Soaked; happened: ReadonlyMap<string, Happened>; stop: () => Promise<void> }> {
  const ledger = new Ledger()
  const happened = new Map<string, Happened>(
    wanted.map(({ name }) => [name, { times: 0, recoveryMs: 0, notTried: undefined }]),
  )
  await publishVersion(installation, ledger)
  const key = await issueKey(installation)
  const keys = [key, await issueKey(installation, hiddenQuestions)]
  const client = new Client(installation, key.authorization, ledger.note)
  const receiver = await receive(installation, ledger)
  const mirror = followInto(installation, key)
  say(`--seed ${seed}`)
  const stopping = new AbortController()
  const working = Promise.all([
    ...Array.from({ length: writers }, () => write(client, ledger, stopping.signal)),
    walkOn(client, ledger, keys, seededRandom(seed), stopping.signal),
    walkOn(client, ledger, keys, seededRandom(seed + 1), stopping.signal),
    readFeeds(client, ledger, stopping.signal),
    administer(installation, ledger, seededRandom(seed + 4), stopping.signal),
  ])
  const watching = new AbortController()
  const following = Promise.all([
    poll(client, ledger, keys, seededRandom(seed + 2), watching.signal),
    follow(client, ledger, watching.signal),
  ])
  const random = seededRandom(seed + 3)
  const plain = everyView(keys)[0]!
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
  await untilEnough(ledger)
  say('settling')
  stopping.abort()
  await working
  say('all have stopped')
  watching.abort()
  await following
  say('comparing')
  const soaked = { installation, client, ledger, keys, mirror, receiver, restMs }
  await checkAll(soaked)
  return {
    soaked,
    happened,
    stop: async () => {
      await mirror.process.stop()
      await receiver.stop()
    },
  }

  async function happen(fault: Infliction, record: Happened): Promise<void> {
    const beganMs = performance.now()
    record.notTried = fault.isBeyond?.(installation)
    if (record.notTried !== undefined) return
    await fault.run({ installation, mirror, authorization: key.authorization, random })
    // A service has recovered when it completes a walk.
    await walk(client, ledger, plain, 'pageSize=1000&toDate=2000-01-01')
    record.times++
    record.recoveryMs += performance.now() - beganMs
  }
}

/** On a busy machine, little may have been done when the time is up. */
async function untilEnough(ledger: Ledger): Promise<void> {
  const isEnough = (): boolean => ledger.erased.size > 0 && ledger.withStatus().length >= withStatusMin
  for (const endMs = performance.now() + restMs; !isEnough() && performance.now() < endMs; ) await Bun.sleep(100)
}

/** Throws if anything was broken. */
export function conclude({ broken }: Ledger): void {
  if (broken.length > 0) throw new Problem('internal', { detail: `${broken.length} promises were broken.` })
}

function shuffled<T>(list: readonly T[], random: Rng): T[] {
  return list
    .map(item => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
