// Builds the npm packages: @tributary/client from src/clients/client, and @tributary/cli from src/clients/pull as one self-contained
// file.

import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { $ } from 'bun'

const root = join(import.meta.dir, '../..')

/** The exports of the published client, in compiled form. */
const clientExports = {
  '.': { types: './dist/index.d.ts', default: './dist/index.js' },
  './package.json': './package.json',
}

/** Where both are unpacked, as they would be published. */
export interface Packages {
  client: string
  cli: string
}

/** Builds both in subfolders of this folder. */
export async function buildPackages(folder: string, commit: string | undefined): Promise<Packages> {
  const client = await begin(join(folder, 'client'), 'client', 'README.md', { exports: clientExports })
  await $`${root}/node_modules/.bin/tsc --project ${root}/src/clients/client --outDir ${client}/dist`.quiet()
  const cli = await begin(join(folder, 'cli'), 'pull', 'PULL.md')
  await writeFile(join(cli, 'THIRD-PARTY.txt'), await noticesOf(await bundleCli(cli, commit)))
  await copyFile(join(root, 'scripts/pulling/node-launcher.cjs'), join(cli, 'tributary.cjs'))
  return { client, cli }
}

/** A tarball of each, next to them, by name. */
export async function packPackages({ client, cli }: Packages, folder: string): Promise<string[]> {
  const pack = async (from: string) => {
    const output = await $`npm pack --json --ignore-scripts --pack-destination ${folder}`.cwd(from).quiet()
    return (output.json() as { filename: string }[])[0]!.filename
  }
  return [await pack(client), await pack(cli)]
}

/** An empty folder, except for what every package has. */
async function begin(folder: string, room: string, readme: string, published = {}): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const read = (path: string) => Bun.file(join(root, path)).json() as Promise<Record<string, string>>
  const { version, license } = await read('package.json')
  // In the checkout a package is its source, which cannot be published.
  const { private: _, exports: __, ...manifest } = await read(`src/clients/${room}/package.json`)
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...manifest, version, license, ...published }, null, 2)}\n`,
  )
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  // The package doesn't contain other documents of the checkout.
  const text = await readFile(join(root, 'src/clients', room, readme), 'utf8')
  await writeFile(join(folder, 'README.md'), text.replace(/\[([^\]]+)\]\((?!https:|#)[^)]+\)/g, '$1'))
  return folder
}

/** Returns the paths of its files. */
async function bundleCli(folder: string, commit: string | undefined): Promise<string[]> {
  const built = await Bun.build({
    entrypoints: [join(root, 'scripts/pulling/cli.ts')],
    outdir: folder,
    naming: 'cli.cjs',
    target: 'node',
    format: 'cjs',
    metafile: true,
    // Names are kept, for the stacks of errors; comments with paths of this machine are removed.
    minify: { whitespace: true, syntax: true },
    define: {
      'process.env.NODE_ENV': '"production"',
      ...(commit === undefined ? {} : { TRIBUTARY_COMMIT: JSON.stringify(commit) }),
    },
  })
  return Object.keys(built.metafile!.inputs).map(path => resolve(path))
}

/** The licences of the packages that these files belong to. */
async function noticesOf(files: readonly string[]): Promise<string> {
  const folders = files.flatMap(path => /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  const notices = [...new Set(folders)].sort().map(async folder => {
    const manifest = (await Bun.file(join(folder, 'package.json')).json()) as Record<string, string>
    const file = (await readdir(folder)).find(entry => /^licen[cs]e/i.test(entry))
    // One package has no licence text.
    const text = file === undefined ? `Licence: ${manifest.license}` : await readFile(join(folder, file), 'utf8')
    return `${manifest.name} ${manifest.version}\n\n${text.trim()}\n`
  })
  return (await Promise.all(notices)).join(`\n${'-'.repeat(80)}\n\n`)
}
