// Builds the binary: one file that needs nothing on disk but the system's C library.

import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCode, showHelpIfAsked } from '../command-line/environment.ts'
import { leaveOut, parseWithout, sizesOf } from './left-out.ts'
import { readFolder, releaseCommit } from './release-input.ts'
import { withScripts } from './with-scripts.ts'

const help = `Usage: scripts/build [folder] [--target <system>] [--without <products>]

Builds the binary tributary in the folder (dist): service, worker and scripts as subcommands of one self-contained file. It carries
the version in package.json and the commit, from TRIBUTARY_COMMIT or git.

  --target   a system other than this one, as Bun names it: bun-linux-x64, bun-linux-arm64, bun-darwin-arm64, bun-windows-x64
             (tributary.exe) … Its runtime is downloaded from npm once
  --without  products to leave out: console (with the docs), apply (applicants’ pages), civiform (the follower), or several: console,civiform

Standard output contains the path of the binary, standard error how much source of each product is in it.`

showHelpIfAsked(help)

const root = join(import.meta.dir, '../..')

process.exit(
  await exitCode(async () => {
    const { folder, options } = readFolder('dist', 'target', 'without')
    const { target } = options
    const without = parseWithout(options.without)
    // Windows requires this extension, and Bun adds it automatically.
    const outfile = join(folder, target?.startsWith('bun-windows') ? 'tributary.exe' : 'tributary')
    await mkdir(folder, { recursive: true })
    const commit = await releaseCommit()
    const built = await Bun.build({
      entrypoints: [join(root, 'scripts/tributary.ts')],
      target: 'bun',
      minify: false,
      // In the binary, so that stacks name our files and lines; the separate file is removed.
      sourcemap: 'inline',
      metafile: true,
      plugins: [leaveOut(without), await withScripts(join(root, '.data/scripts'))],
      define: {
        'process.env.NODE_ENV': '"production"',
        ...(commit === undefined ? {} : { TRIBUTARY_COMMIT: JSON.stringify(commit) }),
      },
      compile: {
        outfile,
        // Files in the folder it is started from must not change its behavior.
        autoloadDotenv: false,
        autoloadBunfig: false,
        ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
      },
    })
    for (const message of built.logs) console.error(String(message))
    if (!built.success) throw new Error('the binary could not be built')
    for (const output of built.outputs) if (output.path !== outfile) await rm(output.path)
    if (!existsSync(outfile)) throw new Error(`Bun did not create ${outfile}`)
    for (const [product, bytes] of sizesOf(built.metafile!))
      console.error(`${(bytes / 1000).toFixed(0).padStart(7)} kB  ${product}`)
    console.log(outfile)
  }),
)
