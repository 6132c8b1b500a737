// Builds what a Dockerfile says without a container engine: its own instructions, read from it and done one by one in a clean folder.

import { chmod, cp, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { outputOf } from './run.ts'

interface Instruction {
  name: string
  rest: string
}

interface Stage {
  base: string
  name: string | undefined
  instructions: Instruction[]
}

/** The stages of a Dockerfile, in order. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = []
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    const from = /^(\S+)(?: AS (\S+))?$/.exec(rest)
    if (name === 'FROM') stages.push({ base: from![1]!, name: from![2], instructions: [] })
    else if (name === '') throw new Error(`this is no instruction: ${line}`)
    else stages.at(-1)!.instructions.push({ name, rest })
  }
  return stages
}

/** What is in the build context: what .dockerignore, which ignores everything, makes exceptions of. */
export function contextOf(dockerignore: string): string[] {
  const lines = dockerignore.split('\n').filter(line => !/^\s*(#|$)/.test(line))
  if (lines.shift() !== '*' || lines.some(line => !/^![\w.-]+$/.test(line)))
    throw new Error('.dockerignore is to ignore everything but some names of the root')
  return lines.map(line => line.slice(1))
}

/** How a container of the last stage is started: as its instructions say. */
export interface Image {
  /** Its whole file system. */
  folder: string
  uid: number
  gid: number
  environment: Record<string, string>
  entrypoint: string[]
  command: string[]
  healthcheck: string[]
}

/**
 * Does every instruction. A stage that runs something has this machine's programs in place of its base, and writes below its WORKDIR
 * alone, which must be there; one FROM scratch begins with nothing.
 */
export async function buildImage(
  checkout: string,
  folder: string,
  args: Readonly<Record<string, string>>,
): Promise<Image> {
  const context = contextOf(await Bun.file(join(checkout, '.dockerignore')).text())
  const stages = parseDockerfile(await Bun.file(join(checkout, 'Dockerfile')).text())
  const image: Image = { folder, uid: 0, gid: 0, environment: {}, entrypoint: [], command: [], healthcheck: [] }
  for (const [i, stage] of stages.entries()) {
    const root = join(folder, stage.name ?? String(i))
    await mkdir(root)
    image.folder = root
    let workdir = root
    const variables: Record<string, string> = {}
    for (const { name, rest } of stage.instructions) {
      const words = rest.split(/\s+/)
      switch (name) {
        case 'WORKDIR':
          workdir = join(root, rest)
          await mkdir(workdir, { recursive: true })
          break
        case 'ARG':
          if (args[rest] !== undefined) variables[rest] = args[rest]
          break
        case 'COPY':
          if (words[0]!.startsWith('--from=')) {
            const [from, source, target] = words as [string, string, string]
            await cp(join(folder, from.slice(7), source), join(root, target), { recursive: true })
          } else {
            const target = words.pop()!
            for (const source of words) {
              if (!context.includes(source)) throw new Error(`.dockerignore keeps ${source} out of the context`)
              const place = target === './' ? join(workdir, basename(source)) : join(workdir, target)
              await cp(join(checkout, source), place, { recursive: true })
            }
          }
          break
        case 'RUN':
          await runHere(rest, workdir, variables)
          break
        case 'USER':
          ;[image.uid, image.gid] = rest.split(':').map(Number) as [number, number]
          break
        case 'ENV':
          for (const word of words) image.environment[word.split('=')[0]!] = word.slice(word.indexOf('=') + 1)
          break
        case 'ENTRYPOINT':
          image.entrypoint = JSON.parse(rest)
          break
        case 'CMD':
          image.command = JSON.parse(rest)
          break
        case 'HEALTHCHECK':
          image.healthcheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
          break
        case 'EXPOSE':
        case 'STOPSIGNAL':
          break
        default:
          throw new Error(`what ${name} does is not known here`)
      }
    }
    await chmod(root, 0o755)
  }
  return image
}

/** PATH and HOME are this machine's: the place of Bun, and of what it has downloaded already. Nothing else is. */
const runHere = (command: string, cwd: string, variables: Record<string, string>): Promise<string> =>
  outputOf(['sh', '-c', command], { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables } })
