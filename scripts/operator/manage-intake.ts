// Pauses and resumes submissions to a program from a terminal.

import { parseDuration } from '../../src/config/kinds/durations.ts'
import { pauseIntake, pauseMsMax, resumeIntake } from '../../src/core/intake/pause-intake.ts'
import { findIntakePause } from '../../src/db/applications/intake-pauses.ts'
import { findProgramIntake } from '../../src/db/programs/program-intake.ts'
import { loadProgram } from '../../src/db/programs/programs.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'
import { type ScriptContext, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/intake pause <slug> [--for <duration>]
  scripts/intake resume <slug>
  scripts/intake status <slug>

While a program's intake is paused, submissions receive 503 with Retry-After; answers can still be saved. Until the pause ends, no
newer submission exists, so applications that another system accepted meanwhile can be loaded.

  --for  Maximum length, such as 30m or 2h. Default: 1h; at most 7d. A pause ends automatically; repeating the command restarts it.`

function parsePause(text: string): number {
  const pauseMs = parseDuration(text)
  if (pauseMs === undefined || pauseMs < 1000 || pauseMs > pauseMsMax)
    throw usage(`--for must be a duration from 1s to 7d, such as 30m or 2h, not "${text}".`)
  return pauseMs
}

function pause(slug: string, pauseMs: number): Run {
  return async ({ sql, config, actor }) => {
    const until = await pauseIntake(sql, slug, pauseMs, actor)
    console.log(
      `Intake of ${slug} is paused until ${formatOffsetTime(until, config.timeZone)}, or until scripts/intake resume.`,
    )
  }
}

function resume(slug: string): Run {
  return async ({ sql, actor }) => {
    const was = await resumeIntake(sql, slug, actor)
    const still = await setInConsole(sql, slug)
    console.log(was ? (still ?? `${slug} accepts submissions again.`) : `Intake of ${slug} was not paused.`)
  }
}

function status(slug: string): Run {
  return async ({ sql, config }) => {
    const { program_id } = await loadProgram(sql, slug)
    const until = await findIntakePause(sql, program_id)
    console.log(
      until === undefined
        ? ((await setInConsole(sql, slug)) ?? `${slug} accepts submissions.`)
        : `Intake of ${slug} is paused until ${formatOffsetTime(until, config.timeZone)}.`,
    )
  }
}

/** The state set in the console, which applies with or without a pause. */
async function setInConsole(sql: ScriptContext['sql'], slug: string): Promise<string | undefined> {
  const { program_id } = await loadProgram(sql, slug)
  const { intake_state = 'OPEN' } = (await findProgramIntake(sql, program_id)) ?? {}
  if (intake_state === 'OPEN') return undefined
  return `${slug} does not accept submissions; its state in the console is ${intake_state.toLowerCase()}.`
}

const program = ['slug']

await runCommands(help, {
  pause: command(program, { for: { type: 'string', default: '1h' } }, (given, slug) =>
    pause(slug, parsePause(given.for)),
  ),
  resume: command(program, {}, (_, slug) => resume(slug)),
  status: command(program, {}, (_, slug) => status(slug)),
})
