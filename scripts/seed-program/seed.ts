// scripts/seed: fills a database with sample applications, for trying things out and for measurements.

import { requireInstanceTimeZone } from '../../src/db/instance.ts'
import { parseInstantParameter } from '../../src/domain/values/instant-parameter.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { usage } from '../command-line/environment.ts'
import { readFrontEnd } from '../command-line/front-end-option.ts'
import { inThousands } from '../command-line/progress.ts'
import { command, runOnly, wholeNumber } from '../command-line/script-commands.ts'
import { demoShares, seedWithProgress } from './seed-programs.ts'

const help = `Usage: scripts/seed [--applications <n>] [--program <slug>]… [--now <instant>] [--front-end <name>]

Adds sample applications, submitted over the year before --now; an empty database with the same --now always gets the same ones.
Publishes the demo programs utility-assistance (three versions, every kind of question) and child-care-subsidy (a small one)
if they are to be filled and don't exist. Other programs must exist.

  --applications  How many, 1 to 10000000. Default: 5000. The second demo program gets a tenth as many.
  --program       The slug of a program to fill; can be repeated. Default: both demo programs.
  --now           The time before which everything is submitted, such as 2026-01-31T00:00:00Z; UTC without an offset. Default: the
                  present. Must not be before a program's last submission.
  --front-end     The form front end that the sample applicants belong to. Default: none.`

/** The year before it must be in the supported range of times. */
const farPast: Micros = 0

function parseNow(text: string | undefined): Micros {
  const present = Date.now() * 1000
  const now = text === undefined ? present : parseInstantParameter(text, 'UTC')
  if (typeof now === 'object') throw usage(`--now ${now.error}`)
  if (now < farPast || now > present) throw usage(`--now must be an instant from 1970 to the present, not "${text}".`)
  return now
}

const text = { type: 'string' } as const
const options = {
  applications: { ...text, default: '5000' },
  program: { ...text, multiple: true },
  now: text,
  'front-end': text,
} as const

await runOnly(
  help,
  command([], options, given => {
    const applications = wholeNumber('--applications', given.applications, 10_000_000)
    const now = parseNow(given.now)
    const programs = given.program?.map(slug => ({ slug, applications })) ?? demoShares(applications)
    const frontEnd = readFrontEnd(given['front-end'])
    return async ({ sql, config: { timeZone }, actor }) => {
      await requireInstanceTimeZone(sql, timeZone)
      const startedMs = performance.now()
      const receipt = await seedWithProgress(sql, { programs, now, actor, frontEnd, timeZone })
      for (const { slug, applications } of receipt.programs)
        console.log(`Seeded ${inThousands(applications)} applications to ${slug}.`)
      console.log(`Seeding took ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`)
    }
  }),
)
