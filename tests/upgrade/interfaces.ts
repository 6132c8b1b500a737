// What stays as it is for clients and operators of a release, a line each: operations with their parameters and the members of what they
// take and send, settings, metrics, options of commands, what the clients export; and its migrations.

import { join } from 'node:path'
import * as client from '../../src/clients/client/index.ts'
import { pullHelp } from '../../src/clients/pull/command-line.ts'
import { keySettings } from '../../src/core/keys/key-settings.ts'
import { allMigrations } from '../../src/db/migrations/all-migrations.ts'
import type { TestDatabase } from '../support/database.ts'
import { createTestKey } from '../support/keys.ts'
import { outputOf } from '../support/run.ts'
import type { TestService } from '../support/service.ts'

interface Schema {
  $ref?: string
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
}
type Content = Record<string, { schema?: Schema }>
interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { headers?: object; content?: Content }>
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Lines such as `GET /api/v1/admin/programs 200 payload.slug`, in order, each once. */
export async function readInterfaces({ sql }: Pick<TestDatabase, 'sql'>, service: TestService): Promise<string[]> {
  const { authorization } = await createTestKey(sql, { programs: ['any'] })
  const response = await service.get('/docs/api/openapi.json', { headers: { Authorization: authorization } })
  const { paths, components } = (await response.json()) as OpenApi
  const lines = new Set<string>()
  const add = (what: string, content: Content = {}): void => {
    for (const [type, { schema = {} }] of Object.entries(content))
      for (const line of [type, ...membersOf(schema)]) lines.add(`${what} ${line}`)
  }
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
      const operation = `${method.toUpperCase()} ${path}`
      lines.add(operation)
      for (const parameter of parameters) lines.add(`${operation} ${parameter.in} ${parameter.name}`)
      add(`${operation} body`, requestBody?.content)
      for (const [status, { headers = {}, content }] of Object.entries(responses)) {
        if (!status.startsWith('2')) continue
        for (const name of Object.keys(headers)) lines.add(`${operation} ${status} header ${name}`)
        add(`${operation} ${status}`, content)
      }
    }
  for (const [name, schema] of Object.entries(components.schemas))
    for (const member of membersOf(schema)) lines.add(`${name} ${member}`)
  for (const name of await stableNames('SETTINGS.md')) lines.add(`setting ${name}`)
  for (const name of await stableNames('OPERATIONS.md')) lines.add(`metric ${name}`)
  for (const option of await readOptions()) lines.add(`command ${option}`)
  for (const name of Object.keys(client)) lines.add(`@tributary/client ${name}`)
  const [python] = (await textOf('src/clients/python/tributary.py')).split('class _NoRedirect')
  for (const [, name] of python!.matchAll(/^(?:class| {4}def) ([a-zA-Z]\w*)/gm)) lines.add(`tributary.py ${name}`)
  for (const { name, sha256 } of allMigrations) lines.add(`migration ${name} ${sha256}`)
  return [...lines].sort()
}

const root = join(import.meta.dir, '../..')
const textOf = (path: string): Promise<string> => Bun.file(join(root, path)).text()

/** Options as the help of each command names them, of the commands that COMMANDS.md has for others than developers. */
async function readOptions(): Promise<string[]> {
  const [forOthers] = (await textOf('scripts/COMMANDS.md')).split('| To change Tributary')
  // Those of settings are made of their descriptions.
  const options = Object.values(keySettings).map(({ option }) => `api-key --${option}`)
  for (const [, name] of forOthers!.matchAll(/^\| `scripts\/([\w-]+)`/gm)) {
    const program = /[\w/-]+\.ts/.exec(await textOf(`scripts/${name}`))![0]
    const written = name === 'tributary' ? pullHelp : /elp = `([^`]*)`/.exec(await textOf(`scripts${program}`))![1]!
    // What is computed is printed.
    const help = written.includes('${') ? await outputOf([join(root, 'scripts', name!), '--help']) : written
    const found = help.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)
    options.push(...[...found].map(([option]) => `${name} ${option}`))
  }
  return options
}

/** Settings or metrics of the tables of a document that are stable by its section Stability. Throws for one of which it says nothing. */
async function stableNames(document: 'SETTINGS.md' | 'OPERATIONS.md'): Promise<string[]> {
  const text = await textOf(`deploy/${document}`)
  const [stable, changing] = ['Stable', 'May change'].map(heading => {
    const [, words] = new RegExp(`^- \\*\\*${heading}:\\*\\*((?:.|\n(?!- |\n))*)`, 'm').exec(text)!
    return [...words!.matchAll(/`(\w*)\*`/g)].map(([, beginning]) => beginning!)
  }) as [string[], string[]]
  const tables = document === 'SETTINGS.md' ? /^\| `(\w+)` \|/gm : /^\| `(tributary_\w+)` \|/gm
  return [...text.matchAll(tables)].flatMap(([, name]) => {
    const matching = [...stable, ...changing].filter(beginning => name!.startsWith(beginning))
    const [longest] = matching.sort((a, b) => b.length - a.length)
    if (longest === undefined) throw new Error(`${document} does not say whether ${name} is stable`)
    return stable.includes(longest) ? [name!] : []
  })
}

/** Of all that it may be; not of other schemas, which are named. */
function membersOf({ $ref, properties, items, additionalProperties, oneOf, anyOf, allOf }: Schema): string[] {
  if ($ref !== undefined) return [$ref.replace(/.*\//, 'as ')]
  const inside = [items, additionalProperties].filter(schema => typeof schema === 'object')
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, schema]) => [
      name,
      ...membersOf(schema).map(member => `${name}.${member}`),
    ]),
    ...[...inside, ...(oneOf ?? []), ...(anyOf ?? []), ...(allOf ?? [])].flatMap(membersOf),
  ]
}
