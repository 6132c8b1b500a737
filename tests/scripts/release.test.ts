// scripts/release: everything of a version, each with the digest that its lists say, and the same when it is made again.

import { describe, expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'
import { outputOf, run } from '../support/run.ts'

const url = 'https://example.com/city/tributary/releases/download/v1'
const script = join(import.meta.dir, '../../scripts/releasing/make-release.ts')
const env = { PATH: process.env.PATH, HOME: process.env.HOME, TRIBUTARY_COMMIT: 'c0ffee' }
const release = (...args: string[]) => run([process.execPath, script, ...args], { env })

const folder = await useFolder()
const key = join(await useFolder(), 'key')
const isSigned = needs('ssh')
if (isSigned) await outputOf(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key])
const signing = isSigned ? ['--sign', key] : []
const first = await release(folder, '--url', `${url}/`, ...signing)
const sums = new Map(
  (await Bun.file(join(folder, 'SHA256SUMS')).text())
    .trim()
    .split('\n')
    .map(line => line.split('  ').reverse() as [name: string, sha256: string]),
)
const read = (name: string) => Bun.file(join(folder, name)).text()

describe('scripts/release', () => {
  test('creates a binary for each system, both packages and an SBOM, all listed in SHA256SUMS', async () => {
    expect(first).toMatchObject({ code: 0 })
    const systems = ['darwin-arm64', 'linux-arm64', 'linux-x64', 'windows-x64.exe']
    const programs = systems.map(system => `tributary-${version}-${system}`)
    const packages = [`tributary-cli-${version}.tgz`, `tributary-client-${version}.tgz`]
    expect([...sums.keys()].sort()).toEqual([...programs, `tributary-${version}.cdx.json`, ...packages].sort())
    expect(readdirSync(folder).sort()).toEqual(
      [
        ...sums.keys(),
        'SHA256SUMS',
        ...(isSigned ? ['SHA256SUMS.sig'] : []),
        'NOTES.md',
        'tributary.rb',
        'winget',
      ].sort(),
    )
    await outputOf(['sha256sum', '--check', '--strict', 'SHA256SUMS'], { cwd: folder })
    expect(JSON.parse(await read(`tributary-${version}.cdx.json`)).metadata.component.version).toBe(version)
  })

  test.skipIf(!isSigned)(
    'signs SHA256SUMS with a key, so that the command in PULL.md accepts it and rejects an altered one',
    async () => {
      const document = await Bun.file(join(import.meta.dir, '../../src/clients/pull/PULL.md')).text()
      const command = /`(ssh-keygen -Y verify [^`]*)`/.exec(document)![1]!.replaceAll('\n', ' ')
      // Where somebody has fetched them: the folder of a release has nothing else in it.
      const fetched = await useFolder()
      const text = await read('SHA256SUMS')
      await Bun.write(join(fetched, 'SHA256SUMS.sig'), await read('SHA256SUMS.sig'))
      await Bun.write(join(fetched, 'signers'), `release ${await Bun.file(`${key}.pub`).text()}`)
      const checked = async (sums: string): Promise<number> => {
        await Bun.write(join(fetched, 'SHA256SUMS'), sums)
        return (await run(['sh', '-c', command], { cwd: fetched })).code
      }
      expect(await checked(text)).toBe(0)
      expect(await checked(text.replace(/^./, first => (first === '0' ? '1' : '0')))).not.toBe(0)
    },
  )

  const elf = (bytes: DataView) => [bytes.getUint32(0), bytes.getUint8(4), bytes.getUint16(18, true)]
  const machO = (bytes: DataView) => [bytes.getUint32(0, true), bytes.getUint32(4, true)]
  const pe = (bytes: DataView) => {
    const at = bytes.getUint32(60, true)
    return [bytes.getUint16(0), bytes.getUint32(at), bytes.getUint16(at + 4, true)]
  }
  test.each([
    // ELF of 64 bits; Mach-O of 64 bits; a DOS header with a PE signature. Then the machine.
    ['linux-x64', elf, [0x7f454c46, 2, 0x3e]],
    ['linux-arm64', elf, [0x7f454c46, 2, 0xb7]],
    ['darwin-arm64', machO, [0xfeedfacf, 0x0100000c]],
    ['windows-x64.exe', pe, [0x4d5a, 0x50450000, 0x8664]],
  ])('builds %s in the executable format of that system', async (system, formatOf, format) => {
    const head = await Bun.file(join(folder, `tributary-${version}-${system}`))
      .slice(0, 4096)
      .arrayBuffer()
    expect(formatOf(new DataView(head))).toEqual(format)
  })

  test('signs the macOS binary with hashes that match its content', async () => {
    const { pages, right } = await signedPages(join(folder, `tributary-${version}-darwin-arm64`))
    expect([pages > 1000, right]).toEqual([true, pages])
  })

  test('gives Homebrew and winget the address and digest of each binary', async () => {
    const addressed = (name: string) => [`${url}/${name}`, sums.get(name)!]
    const formula = await read('tributary.rb')
    const found = [...formula.matchAll(/on_(\w+) do\n\s+url "(.*)"\n\s+sha256 "(.*)"/g)].map(([, on, ...at]) => [
      on,
      ...at,
    ])
    expect(found).toEqual([
      ['arm', ...addressed(`tributary-${version}-darwin-arm64`)],
      ['arm', ...addressed(`tributary-${version}-linux-arm64`)],
      ['intel', ...addressed(`tributary-${version}-linux-x64`)],
    ])
    const manifests = await Promise.all(
      ['', '.installer', '.locale.en-US'].map(async name =>
        Bun.YAML.parse(await read(`winget/Tributary.Tributary${name}.yaml`)),
      ),
    )
    const [InstallerUrl, sha256] = addressed(`tributary-${version}-windows-x64.exe`) as [string, string]
    const common = { PackageIdentifier: 'Tributary.Tributary', PackageVersion: version }
    expect(manifests).toEqual([
      expect.objectContaining({ ...common, ManifestType: 'version', DefaultLocale: 'en-US' }),
      expect.objectContaining({
        ...common,
        ManifestType: 'installer',
        InstallerType: 'portable',
        Installers: [{ Architecture: 'x64', InstallerUrl, InstallerSha256: sha256.toUpperCase() }],
      }),
      expect.objectContaining({
        ...common,
        ManifestType: 'defaultLocale',
        PackageLocale: 'en-US',
        License: 'Apache-2.0',
      }),
    ])
  })

  test('creates the same digests when it runs again in the same folder', async () => {
    const { code, out } = await release(folder, '--url', `${url}/`, ...signing)
    const again = out
      .trim()
      .split('\n')
      .map(line => line.split('  ').reverse())
    expect(code).toBe(0)
    expect(again.map(([path, sha256]) => [path!.slice(folder.length + 1), sha256])).toEqual([...sums])
  }, 240_000)

  test('refuses a folder with other files, and an address without HTTPS', async () => {
    const other = await useFolder()
    writeFileSync(join(other, 'mine'), '')
    expect(await release(other)).toMatchObject({ code: 2, err: expect.stringContaining(other) })
    expect(readdirSync(other)).toEqual(['mine'])
    expect(await release(other, '--url', 'http://a.example')).toMatchObject({
      code: 2,
      err: expect.stringContaining('https://'),
    })
  })
})

/** Of the signature that a program for macOS has in it: how many pages it is of, and how many of these are as it says. */
async function signedPages(path: string): Promise<{ pages: number; right: number }> {
  const bytes = await Bun.file(path).arrayBuffer()
  const file = new DataView(bytes)
  let at = 32
  let signature = 0
  for (let left = file.getUint32(16, true); left > 0; left--) {
    if (file.getUint32(at, true) === 0x1d) signature = file.getUint32(at + 8, true)
    at += file.getUint32(at + 4, true)
  }
  // The only blob of it is the directory of the pages.
  const directory = signature + file.getUint32(signature + 16)
  const [hashes, pages, limit] = [16, 28, 32].map(field => file.getUint32(directory + field)) as [
    number,
    number,
    number,
  ]
  const pageBytes = 2 ** file.getUint8(directory + 39)
  let right = 0
  for (let page = 0; page < pages; page++) {
    const from = page * pageBytes
    const digest = Bun.SHA256.hash(new Uint8Array(bytes, from, Math.min(pageBytes, limit - from)))
    right += Buffer.from(bytes, directory + hashes + 32 * page, 32).equals(digest as Uint8Array) ? 1 : 0
  }
  return { pages, right }
}
