// Runs the pull commands: their output and exit status. The caller passes in everything they need from the process.

import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TributaryClient } from '@tributary/client'
import { ForeignAnswer, GaveUp, messageOf, RequestRefused, visibleText } from '@tributary/client/tools'
import {
  type PullCommand,
  parsePull,
  parseTypes,
  parseVerify,
  pullHelp,
  standardOutput,
  typesHelp,
  verifyHelp,
} from './command-line.ts'
import { findCredentials } from './credentials.ts'
import { follow } from './follow.ts'
import { isFolder, makeFolder } from './formats/folder-format.ts'
import { pullToFile } from './pull-to-file.ts'
import { CommandError, exitStatus, fileError } from './requests/pull-outcome.ts'
import type { PullContext, PullReport } from './requests/pull-request.ts'
import { inBytes, inThousands, showProgress } from './show-progress.ts'
import type { OutputFormat } from './spool/output-format.ts'
import { verifyFile } from './verify-file.ts'
import { verifyFolder } from './verify-folder.ts'
import { typesOf, writeWhole } from './write-types.ts'

export interface ToolProcess {
  args: string[]
  environment: Readonly<Record<string, string | undefined>>
  /** Aborted by a signal to stop the tool. */
  signal: AbortSignal
  /** For results. */
  output: Writable
  /** For everything else, one line at a time. */
  say: (line: string) => void
}

export const runPull = (tool: ToolProcess): Promise<number> => ended(tool, pullHelp, pull)
export const runTypes = (tool: ToolProcess): Promise<number> => ended(tool, typesHelp, types)
export const runVerify = (tool: ToolProcess): Promise<number> => ended(tool, verifyHelp, verify)

/** Resolves with the exit status. */
async function ended(asGiven: ToolProcess, help: string, work: (tool: ToolProcess) => Promise<void>): Promise<number> {
  const { args, output, signal } = asGiven
  const say = (line: string): void => asGiven.say(visibleText(line))
  try {
    if (args.some(arg => arg === '--help' || arg === '-h')) await print(output, `${help}\n`)
    else await work({ ...asGiven, say })
    return exitStatus.complete
  } catch (error) {
    if (signal.aborted) say('Interrupted. Run the same command to continue.')
    else say([messageOf(error), ...(error instanceof GaveUp ? [afterGivingUp(error)] : [])].join('\n'))
    return statusOf(error, signal)
  }
}

const afterGivingUp = ({ isServiceFault }: GaveUp): string =>
  isServiceFault
    ? 'The service failed at every attempt. Contact its operators, and give them the request ID above.'
    : 'Run the same command to continue.'

function statusOf(error: unknown, signal: AbortSignal): number {
  if (!signal.aborted && error instanceof GaveUp && error.isServiceFault) return exitStatus.mismatch
  if (signal.aborted || error instanceof GaveUp) return exitStatus.incomplete
  if (error instanceof ForeignAnswer) return exitStatus.mismatch
  if (error instanceof CommandError) return exitStatus[error.outcome]
  const code = String((error as { code?: unknown } | null)?.code)
  return code.startsWith('ERR_PARSE_ARGS') ? exitStatus.usage : exitStatus.failed
}

async function pull({ args, environment, output, say: sayAloud, signal }: ToolProcess): Promise<void> {
  const command = parsePull(args)
  const say = command.quiet ? () => {} : sayAloud
  const credentials = await findCredentials(command.credentialsFile, environment, say)
  const client = clientOf(command, credentials, say)
  const startedMs = performance.now()
  const shown = command.quiet ? { update: () => {}, stop: () => {} } : showProgress(say)
  try {
    const context = { signal, say, onProgress: shown.update }
    const { out, format } = command
    if (format.folder !== undefined) makeFolder(format.folder)
    if (command.follow) return await follow(out, format, command, client, context)
    const report = await (out === standardOutput
      ? pullToOutput(output, format, command, client, context)
      : pullToFile(out, format, command, client, context))
    shown.stop()
    const seconds = Math.max(0.001, (performance.now() - startedMs) / 1000)
    const { added, total, bytes } = report
    const all = total === added.count ? '' : ` It now has ${inThousands(total)}.`
    say(
      `Pulled ${inThousands(added.count)} applications into ${command.format.destination ?? (command.out === standardOutput ? 'standard output' : command.out)}.${all}`,
    )
    say(`It took ${seconds.toFixed(1)} s for ${inBytes(bytes)}. SHA-256 of their IDs: ${added.digest}`)
    if (command.json) await print(output, `${JSON.stringify(resultOf(report, command))}\n`)
    if (!report.compared)
      throw new CommandError(
        'uncompared',
        'Every page was complete, but the total could not be compared, because the service provided no receipt.',
      )
  } catch (error) {
    throw aboutTheKey(error, client)
  } finally {
    shown.stop()
  }
}

/** For schedulers; documented in PULL.md. */
const resultOf = ({ added, total, compared, watermark }: PullReport, { program, out, format }: PullCommand) => ({
  program,
  into: format.destination ?? out,
  pulled: added.count,
  sha256_of_ids: added.digest,
  total,
  compared,
  watermark: watermark ?? null,
})

/** Moves to the output when complete, from a file that only its owner may read. */
async function pullToOutput(
  output: Writable,
  format: OutputFormat,
  command: PullCommand,
  client: TributaryClient,
  context: PullContext,
): Promise<PullReport> {
  const folder = makeTemporary()
  try {
    const file = join(folder, `lines${format.ending}`)
    const report = await pullToFile(file, format, command, client, context)
    await pipeline(createReadStream(file), output, { end: false }).catch((error: unknown) => {
      throw notPrinted(error)
    })
    return report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Resolves when everything has left this process: waiting output would be lost when the process ends. */
function print(output: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(notPrinted(error))
    output.once('error', fail)
    output.write(text, error => {
      // An event follows for which nobody listens.
      if (error) return fail(error)
      output.off('error', fail)
      resolve()
    })
  })
}

const notPrinted = (error: unknown): CommandError => fileError(error, 'Could not write everything to standard output')

function makeTemporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'tributary-pull-'))
  } catch (error) {
    throw fileError(error, `Cannot create a folder in ${tmpdir()}`)
  }
}

/** Explains what to do about a rejected key; returns any other failure unchanged. */
function aboutTheKey(error: unknown, { baseUrl }: TributaryClient): unknown {
  if (!(error instanceof RequestRefused) || !error.isAboutTheKey) return error
  const hint = `${baseUrl}/api/v1/checkAuth lists what a key may do. The reason for the 401 is in the service's log.`
  return new CommandError('failed', `${error.message}\n${hint}`)
}

async function types({ args, environment, output, say, signal }: ToolProcess): Promise<void> {
  const { address, program, fields, out, credentialsFile } = parseTypes(args)
  const client = clientOf({ address }, await findCredentials(credentialsFile, environment, say), say)
  try {
    const text = await typesOf(client, program, fields, signal)
    if (out === undefined) await print(output, text)
    else writeWhole(out, text)
  } catch (error) {
    throw aboutTheKey(error, client)
  }
}

function clientOf(
  {
    address: baseUrl,
    retriesMax,
    follow: isPatient = false,
  }: { address: string; retriesMax?: number; follow?: boolean },
  credentials: { username: string; password: string },
  say: (line: string) => void,
) {
  const onRetry = ({ attempt, waitMs, reason }: { attempt: number; waitMs: number; reason: string }): void =>
    // The first few failures are normal on any network.
    void (attempt > 2 && say(`${reason} Trying again in ${Math.ceil(waitMs / 1000)} s.`))
  try {
    const patience = isPatient ? { retriesMax: Number.POSITIVE_INFINITY, waitMsMax: 10_000 } : { retriesMax }
    return new TributaryClient({ baseUrl, ...credentials, ...patience, onRetry })
  } catch (error) {
    throw new CommandError('usage', messageOf(error))
  }
}

async function verify({ args, output }: ToolProcess): Promise<void> {
  const { file } = parseVerify(args)
  if (isFolder(file) || statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    const applications = await verifyFolder(file)
    return print(output, `${file} is complete: ${inThousands(applications)} applications.\n`)
  }
  const { count, digest, pulls } = await verifyFile(file)
  await print(
    output,
    `${file} is complete: ${inThousands(count)} applications in ${inThousands(pulls)} pull${pulls === 1 ? '' : 's'}. SHA-256 of their IDs: ${digest}\n`,
  )
}
