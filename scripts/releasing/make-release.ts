// Builds all files of a release in one folder: binaries, npm packages, SBOM, digests, notes, and the files for Homebrew and winget.

import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { release } from '../../src/base/release.ts'
import { exitCode, showHelpIfAsked, usage } from '../command-line/environment.ts'
import { buildPackages, packPackages } from './build-packages.ts'
import { type ReleasedFile, writeManifests } from './package-manifests.ts'
import { readFolder, releaseCommit } from './release-input.ts'

const help = `Usage: scripts/release [folder] [--url <address>] [--sign <key>]

Builds a release of the version in package.json in the folder (dist/release), replacing an earlier one: the binary for Linux on x64 and
arm64, macOS on arm64 and Windows on x64, the npm packages, an SBOM, SHA256SUMS, and notes from CHANGELOG.md. The format of each binary
is checked, and the one for this system is run. Bun's runtimes are downloaded from npm once; npm itself is needed too.

  --url   where the files will be published: https://…/releases/download/v1.0.0. Adds a Homebrew formula and winget manifests
  --sign  an SSH key (ssh-keygen -t ed25519), or its public half if an agent holds the private key. Adds SHA256SUMS.sig, its
          signature of SHA256SUMS, which ssh-keygen -Y verify checks

Rebuilding the same commit with the same npm gives files with the same digests. For the binaries, the checkout's path must be the same
too, because Bun's compiler writes it into them for CommonJS packages.`

showHelpIfAsked(help)

const root = join(import.meta.dir, '../..')
const { version } = release
const systems = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'windows-x64']

process.exit(
  await exitCode(async () => {
    const { folder, options } = readFolder('dist/release', 'url', 'sign')
    const { url, sign } = options
    if (sign !== undefined && !(await Bun.file(sign).exists())) throw usage(`The key ${sign} does not exist.`)
    if (url !== undefined && !(URL.canParse(url) && url.startsWith('https://')))
      throw usage(`--url must begin with https://, not "${url}".`)
    await mkdir(folder, { recursive: true })
    const there = await readdir(folder)
    if (there.length > 0 && !there.includes('SHA256SUMS'))
      throw usage(`${folder} contains files that are not part of a release.`)
    for (const name of there) await rm(join(folder, name), { recursive: true })
    const commit = await releaseCommit()
    for (const system of systems) await makeBinary(folder, system, commit)
    const unpacked = join(folder, 'unpacked')
    await packPackages(await buildPackages(unpacked, commit), folder)
    await rm(unpacked, { recursive: true })
    await $`${process.execPath} ${root}/scripts/releasing/list-components.ts > ${folder}/tributary-${version}.cdx.json`
    const files = await Promise.all((await readdir(folder)).sort().map(name => digestOf(folder, name)))
    await writeFile(join(folder, 'SHA256SUMS'), files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
    if (sign !== undefined) await $`ssh-keygen -q -Y sign -f ${sign} -n file ${join(folder, 'SHA256SUMS')}`.quiet()
    await writeFile(join(folder, 'NOTES.md'), notesOf(await readFile(join(root, 'CHANGELOG.md'), 'utf8')))
    if (url !== undefined) await writeManifests(folder, url.replace(/\/$/, ''), files)
    for (const { name, sha256 } of files) console.log(`${sha256}  ${join(folder, name)}`)
  }),
)

async function makeBinary(folder: string, system: string, commit: string | undefined): Promise<void> {
  const build = [process.execPath, join(root, 'scripts/releasing/build-binaries.ts')]
  const { stdout, stderr } = await $`${build} ${folder} --target bun-${system}`.quiet()
  const made = stdout.toString().trim()
  const head = new DataView(await Bun.file(made).slice(0, 4096).arrayBuffer())
  if (systemOf(head) !== system)
    throw new Error(`the binary for ${system} was built for another system: ${systemOf(head)}`)
  const named = join(folder, `tributary-${version}-${system}${system.startsWith('windows') ? '.exe' : ''}`)
  await rename(made, named)
  if (system !== `${process.platform}-${process.arch}`) return
  console.error(`Source in the binary, by product:\n${stderr}`)
  const printed = (await $`${named} --version`.text()).trim()
  if (printed !== [version, commit && `(${commit})`].filter(Boolean).join(' '))
    throw new Error(`the binary for ${system} reports the version ${printed}`)
}

/** The system that a binary was built for, from the header of its format: ELF, Mach-O or PE. */
function systemOf(head: DataView): string {
  const machines: Record<number, string> = { 62: 'x64', 183: 'arm64', 34404: 'x64', 16777228: 'arm64' }
  if (head.getUint32(0) === 0x7f454c46) return `linux-${machines[head.getUint16(18, true)]}`
  if (head.getUint32(0, true) === 0xfeedfacf) return `darwin-${machines[head.getUint32(4, true)]}`
  return head.getUint16(0) === 0x4d5a
    ? `windows-${machines[head.getUint16(head.getUint32(60, true) + 4, true)]}`
    : 'none'
}

async function digestOf(folder: string, name: string): Promise<ReleasedFile> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(join(folder, name)).stream()) hash.update(chunk)
  return { name, sha256: hash.digest('hex') }
}

/** The section of this version, or the unreleased changes, marked as such. */
function notesOf(changelog: string): string {
  const sections = new Map(
    changelog
      .split(/^## /m)
      .slice(1)
      .map(text => [text.split(/\s/, 1)[0]!, text.slice(text.indexOf('\n')).trim()]),
  )
  const notes = sections.get(version)
  if (notes === undefined)
    console.error(`CHANGELOG.md has no section ${version}, so the notes contain its unreleased changes.`)
  return `# Tributary ${version}\n\n${notes ?? sections.get('Unreleased') ?? ''}\n`
}
