// A client that is generated from the metadata of an OData feed, by the OpenAPI that OASIS's converter makes of it and Redocly's generator
// of clients. Asks nothing of the network but the feed.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { xml2json } from 'odata-csdl'
import { csdl2openapi } from 'odata-openapi'
import { outputOf } from './run.ts'

const packages = join(import.meta.dir, '../../node_modules')
const compiler = ['--noEmit', '--strict', '--module', 'preserve', '--allowImportingTsExtensions', '--skipLibCheck']

/** The output of a program that imports `client` from `./client.ts`, after the compiler has accepted both. Throws with the errors of either. */
export async function printedByClient(metadata: string, root: string, program: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'tributary-odata-client-'))
  try {
    const { protocol, host, pathname: basePath } = new URL(root)
    const openapi = csdl2openapi(xml2json(metadata, {}), { scheme: protocol.slice(0, -1), host, basePath })
    await Bun.write(join(cwd, 'openapi.json'), JSON.stringify(openapi))
    await Bun.write(join(cwd, 'program.ts'), program)
    const redocly = [join(packages, '@redocly/cli/bin/cli.js'), 'generate-client', 'openapi.json', '-o', 'client.ts']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
    await outputOf([process.execPath, ...redocly], { cwd, env })
    await outputOf([join(packages, '.bin/tsc'), ...compiler, 'program.ts'], { cwd })
    return await outputOf([process.execPath, 'program.ts'], { cwd })
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}
