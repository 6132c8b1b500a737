// Writes the times of every stored application again, after INSTANCE_TIME_ZONE was changed.

import { regenerateDocs } from '../../src/derived/sweep.ts'
import { rerenderTimes } from '../../src/upkeep/change-time-zone.ts'
import { inThousands, startProgress } from '../command-line/progress.ts'
import { command, type Run, runOnly } from '../command-line/script-commands.ts'

const help = `Usage: scripts/rerender-times

Writes the times in all stored applications again, in the zone that INSTANCE_TIME_ZONE names, and makes it the zone of this
database: all of it or nothing. Stop the service first, change INSTANCE_TIME_ZONE, run this, and start it again.
The instants stay what they are; only the offset they are written with changes.`

const rerender: Run = async ({ sql, config, actor }) => {
  const { timeZone } = config
  let progress: ReturnType<typeof startProgress> | undefined
  try {
    const { applications, from } = await rerenderTimes(sql, {
      timeZone,
      actor,
      onProgress: (done, of) => {
        progress ??= startProgress(of)
        progress.update(done, `${inThousands(done)} of ${inThousands(of)} applications`)
      },
    })
    progress?.stop()
    // The examples in the docs carry times too.
    await regenerateDocs(sql, undefined, { actor })
    console.log(
      from === timeZone
        ? `All times are written in ${timeZone} already.`
        : `Wrote the times of ${inThousands(applications)} applications in ${timeZone}; they were in ${from}.`,
    )
  } finally {
    progress?.stop()
  }
}

await runOnly(
  help,
  command([], {}, () => rerender),
)
