// Lints OpenAPI documents with Redocly's recommended rules, as a client's tools would. Asks nothing of the network.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

const cli = join(import.meta.dir, '../../node_modules/@redocly/cli/bin/cli.js')

/** Errors and warnings in a document, as `severity rule: message (where)`; empty if it is valid and complete. */
export async function lintOpenApi(document: unknown): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-openapi-'))
  try {
    await Bun.write(join(directory, 'openapi.json'), JSON.stringify(document))
    const command = [process.execPath, cli, 'lint', 'openapi.json', '--format=json', '--max-problems=1000']
    const { out, err } = await run(command, {
      cwd: directory,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' },
    })
    if (!out.trimStart().startsWith('{')) throw new Error(`the linter did not report: ${out}${err}`)
    const { problems } = JSON.parse(out) as { problems: LintProblem[] }
    return problems.map(p => `${p.severity} ${p.ruleId}: ${p.message} (${p.location[0]?.pointer ?? ''})`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

interface LintProblem {
  severity: string
  ruleId: string
  message: string
  location: { pointer?: string }[]
}
