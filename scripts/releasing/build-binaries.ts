// Makes the binary: one file that needs nothing else on disk but the system's C library.

import { existsSync } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCode, showHelpIfAsked } from '../command-line/environment.ts'
import { readFolder, releaseCommit } from './release-input.ts'

const help = `Usage: scripts/build [folder] [--target <system>]

Makes the program tributary in the folder (dist): service, worker and scripts as sub-commands of one file, with everything they
need in it. It carries the version of package.json and the commit, from TRIBUTARY_COMMIT or git.

  --target   for another system than this one, as Bun names it: bun-linux-x64, bun-linux-arm64, bun-darwin-arm64, bun-windows-x64
             (tributary.exe) … Its runtime is fetched from npm, once`

showHelpIfAsked(help)

const root = join(import.meta.dir, '../..')

process.exit(
  await exitCode(async () => {
    const { folder, option: target } = readFolder('dist', 'target')
    // Windows runs nothing without it, and Bun adds it by itself.
    const outfile = join(folder, target?.startsWith('bun-windows') ? 'tributary.exe' : 'tributary')
    await mkdir(folder, { recursive: true })
    const commit = await releaseCommit()
    const built = await Bun.build({
      entrypoints: [join(root, 'scripts/tributary.ts')],
      target: 'bun',
      minify: false,
      // In the binary, so that a stack names files and lines of ours; what is written alongside it is removed.
      sourcemap: 'inline',
      define: {
        'process.env.NODE_ENV': '"production"',
        ...(commit === undefined ? {} : { TRIBUTARY_COMMIT: JSON.stringify(commit) }),
      },
      compile: {
        outfile,
        // What lies in the folder it is started from must not change what it does.
        autoloadDotenv: false,
        autoloadBunfig: false,
        ...(target === undefined ? {} : { target: target as Bun.Build.CompileTarget }),
      },
    })
    for (const message of built.logs) console.error(String(message))
    if (!built.success) throw new Error('the binary could not be made')
    for (const output of built.outputs) if (output.path !== outfile) await rm(output.path)
    if (!existsSync(outfile)) throw new Error(`Bun has not made ${outfile}`)
    if ((target ?? `bun-${process.platform}-${process.arch}`).startsWith('bun-darwin-x64')) await dropSignature(outfile)
    console.log(outfile)
  }),
)

/**
 * Takes the signature out of a program for macOS on x64: Bun leaves that of its runtime there, which is not of the program, so macOS would
 * end it. Without one it runs. On arm64 it needs one, and Bun writes it.
 */
async function dropSignature(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const head = new DataView(new ArrayBuffer(32 * 1024))
    await file.read(head, 0, head.byteLength, 0)
    const [count, bytes] = [head.getUint32(16, true), head.getUint32(20, true)]
    // It is the last of the load commands, of which each begins with what it is and how long.
    const [command, length] = [32 + bytes - 16, 16]
    if (head.getUint32(command, true) !== 0x1d || head.getUint32(command + 4, true) !== length)
      throw new Error(`${path} has no signature at the end of its load commands`)
    head.setUint32(16, count - 1, true)
    head.setUint32(20, bytes - length, true)
    new Uint8Array(head.buffer).fill(0, command, command + length)
    await file.write(head, 0, head.byteLength, 0)
  } finally {
    await file.close()
  }
}
