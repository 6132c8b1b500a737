// An administrator: sets statuses and notes, erases an application now and then, and publishes versions. An action that fails may or may
// not have taken effect.

import { annotate } from '../../../src/core/applications/annotate.ts'
import { eraseApplication } from '../../../src/core/applications/erase.ts'
import { findProgram } from '../../../src/db/programs/programs.ts'
import { pick, type Rng } from '../../../src/domain/random/seeded-random.ts'
import { formatOffsetTime } from '../../../src/domain/values/offset-time.ts'
import { type Installation, slug } from '../installation/installation.ts'
import type { Ledger } from '../seen/ledger.ts'
import { publishVersion, statuses } from './soaked-versions.ts'

const actor = 'operator:soak'

export async function administer(
  installation: Installation,
  ledger: Ledger,
  random: Rng,
  stopped: AbortSignal,
): Promise<void> {
  for (let n = 1; !stopped.aborted; n++) {
    await Bun.sleep(150)
    const application_id = pick<number | undefined>(random, ledger.remaining(ledger.submissions.keys()))
    if (n % 20 === 0 && (await publishVersion(installation, ledger))) continue
    if (application_id === undefined) continue
    const program = await findProgram(installation.sql, slug).catch(() => undefined)
    if (program === undefined) continue
    const place = { program_id: program.program_id, application_id }
    await (n % 12 === 5 ? erase(installation, ledger, place) : change(installation, ledger, place, n))
  }
}

interface Place {
  program_id: number
  application_id: number
}

async function change({ sql }: Installation, { annotations }: Ledger, place: Place, n: number): Promise<void> {
  const note = crypto.randomUUID()
  const status = n % 3 === 0 ? undefined : statuses[n % 2]
  const now = Date.now() * 1000
  const isSure = await annotate(sql, { ...place, note, status, actor, now, timeZone: 'UTC' }).then(
    () => true,
    () => false,
  )
  const own = annotations.get(place.application_id) ?? []
  annotations.set(place.application_id, [...own, { note, status, time: formatOffsetTime(now, 'UTC'), isSure }])
}

async function erase({ sql }: Installation, { maybeErased, erased }: Ledger, place: Place): Promise<void> {
  maybeErased.add(place.application_id)
  await eraseApplication(sql, place, { actor, reason: undefined }).then(
    () => erased.add(place.application_id),
    () => {},
  )
}
