// Fills a database with sample applications, to try things out and to measure with.

import { parseArgs } from 'node:util'
import { requireInstanceTimeZone } from '../../src/db/instance.ts'
import type { Micros } from '../../src/domain/values/offset-time.ts'
import { parseInstantParameter } from '../../src/export/requests/instant-parameter.ts'
import { readCommandLine, runScript, usage } from '../command-line/environment.ts'
import { readFrontEnd } from '../command-line/front-end-option.ts'
import { inThousands, startProgress } from '../command-line/progress.ts'
import { wholeNumber } from '../command-line/script-commands.ts'
import { seedPrograms } from './seed-programs.ts'

const help = `Usage: scripts/seed [--applications <n>] [--program <slug>]… [--now <instant>] [--front-end <name>]

Adds sample applications, submitted over the year before now; the same ones each time it is run on an empty database with
the same --now. Publishes the demo programs utility-assistance (three versions, every kind of question) and
child-care-subsidy (a small one) if they are to be filled and are not there. Other programs must be there.

  --applications  How many, 1 to 10000000; 5000 without it. The second of the demo programs gets a tenth as many.
  --program       A program to fill, by slug; may be given several times. Without it, both demo programs.
  --now           The moment everything lies before, such as 2026-01-31T00:00:00Z; UTC without a zone. Without it, the present.
                  Not before the last submission to a program that has some.
  --front-end     The form front end that the sample applicants belong to; without it, none.`

interface Seed {
  programs: { slug: string; applications: number }[]
  now: Micros
  frontEnd: string | undefined
}

/** The year before it must be one that times are made for. */
const farPast: Micros = 0

function parseSeed(args: string[]): Seed {
  const { values } = parseArgs({
    args,
    options: {
      applications: { type: 'string', default: '5000' },
      program: { type: 'string', multiple: true },
      now: { type: 'string' },
      'front-end': { type: 'string' },
    },
  })
  const applications = wholeNumber('--applications', values.applications, 10_000_000)
  const present = Date.now() * 1000
  const now = values.now === undefined ? present : parseInstantParameter(values.now, 'UTC')
  if (typeof now === 'object') throw usage(`--now ${now.error}`)
  if (now < farPast || now > present)
    throw usage(`--now must be an instant from 1970 to the present, not "${values.now}".`)
  const programs = values.program?.map(slug => ({ slug, applications })) ?? [
    { slug: 'utility-assistance', applications },
    { slug: 'child-care-subsidy', applications: Math.ceil(applications / 10) },
  ]
  return { programs, now, frontEnd: readFrontEnd(values['front-end']) }
}

const { programs, now, frontEnd } = await readCommandLine(help, parseSeed)

await runScript(async ({ sql, config, actor }) => {
  await requireInstanceTimeZone(sql, config.timeZone)
  const startedMs = performance.now()
  const total = programs.reduce((sum, program) => sum + program.applications, 0)
  const progress = startProgress(total)
  try {
    const receipt = await seedPrograms(sql, {
      programs,
      now,
      actor,
      frontEnd,
      timeZone: config.timeZone,
      onProgress: done => progress.update(done, `${inThousands(done)} of ${inThousands(total)} applications`),
    })
    progress.stop()
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
    for (const { slug, applications } of receipt.programs)
      console.log(`Seeded ${inThousands(applications)} applications to ${slug}.`)
    console.log(`It took ${seconds} s.`)
  } finally {
    progress.stop()
  }
})
