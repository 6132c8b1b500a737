// What a release is made of, and that nothing of it runs by being installed.

import { describe, expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import manifest from '../../package.json'
import { readLockedPackages } from '../../scripts/releasing/locked-packages.ts'
import { useFolder } from '../support/fixtures.ts'
import { outputOf } from '../support/run.ts'
import { runScript } from './run-script.ts'

const root = join(import.meta.dir, '../..')
const { packages } = await readLockedPackages(root)

/** Licences that let a city run, change and pass on what it got, and ask for no more than their notice. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'OFL-1.1', 'Unlicense']

interface Bill {
  components: { purl: string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

async function bill(): Promise<{ text: string; bom: Bill }> {
  const { out, err, code } = await runScript('list-components', '', [])
  expect({ err, code }).toEqual({ err: '', code: 0 })
  return { text: out, bom: JSON.parse(out) as Bill }
}

/** Of this package manager; in a folder of its own, with this checkout's settings. */
const install = (folder: string, ...args: string[]): Promise<string> =>
  outputOf([process.execPath, 'install', ...args], { cwd: folder })

describe('scripts/sbom', () => {
  test('produces a valid CycloneDX document that is the same each time', async () => {
    const schemas = join(root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
    const read = (name: string) => Bun.file(join(schemas, `${name}.SNAPSHOT.schema.json`)).json()
    const ajv = new Ajv({ strict: false })
    addFormats(ajv)
    // The formats that ajv does not know are checked for being texts.
    for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true)
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
      ajv.addSchema(await read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`)
    const validate = ajv.compile(await read('bom-1.6'))
    const { text, bom } = await bill()
    validate(bom)
    expect(validate.errors ?? []).toEqual([])
    expect(validate({ ...bom, components: [{ type: 'library' }] })).toBe(false)
    expect((await bill()).text).toBe(text)
  })

  test('lists Bun and every package of a production installation with its dependencies', async () => {
    const folder = await useFolder()
    for (const name of ['package.json', 'bun.lock', 'bunfig.toml', 'patches'])
      await cp(join(root, name), join(folder, name), { recursive: true })
    await install(folder, '--frozen-lockfile', '--production')
    const installed = new Set<string>()
    for (const path of new Bun.Glob('node_modules/**/package.json').scanSync({ cwd: folder })) {
      if (!/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path)) continue
      const { name, version } = (await Bun.file(join(folder, path)).json()) as { name: string; version: string }
      installed.add(`pkg:npm/${name.replace('@', '%40')}@${version}`)
    }
    const { bom } = await bill()
    const listed = new Set(bom.components.map(component => component.purl))
    expect([...listed].filter(purl => !installed.has(purl))).toEqual([`pkg:npm/bun@${manifest.engines.bun}`])
    // Bun brings the compiler too, because a package would check its types with it if it were there. Nothing imports it.
    const imported = [...installed].filter(purl => !/^pkg:npm\/(%40typescript\/)?typescript[@-]/.test(purl))
    expect(imported.filter(purl => !listed.has(purl))).toEqual([])
    for (const { ref, dependsOn } of bom.dependencies)
      for (const needed of dependsOn) expect([ref, listed.has(needed)]).toEqual([ref, true])
  })

  test('lists licences with --licences, and every one of them is allowed', async () => {
    const { out } = await runScript('list-components', '', ['--licences'])
    expect(out.trim().split('\n')).toHaveLength(packages.length + 1)
    const others = packages.filter(({ licence }) => {
      const choices = licence.replace(/[()]/g, '').split(' OR ')
      return !choices.some(choice => allowed.includes(choice))
    })
    expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([])
  })
})

describe('dependencies', () => {
  test('are pinned to one version each, with a checksum from the registry', () => {
    const wanted = { ...manifest.dependencies, ...manifest.devDependencies }
    for (const [name, version] of Object.entries(wanted))
      expect([name, version]).toEqual([name, expect.stringMatching(/^\d/)])
    for (const { name, sha512 } of packages) expect([name, sha512.length]).toEqual([name, 128])
  })

  test('run no scripts when they are installed', async () => {
    const folder = await useFolder()
    // As one that Bun would trust by itself, were the list of trusted packages not empty.
    const [dependency, marker] = ['esbuild', join(folder, 'was-run')]
    await Bun.write(
      join(folder, 'package/package.json'),
      JSON.stringify({ name: dependency, version: '1.0.0', scripts: { postinstall: `touch ${marker}` } }),
    )
    const of = async (name: string, settings: string, trusted: readonly string[] | undefined) => {
      const place = join(folder, name)
      await Bun.write(join(place, 'bunfig.toml'), settings)
      const project = { name, dependencies: { [dependency]: 'file:../package' }, trustedDependencies: trusted }
      await Bun.write(join(place, 'package.json'), JSON.stringify(project))
      await install(place)
      return await Bun.file(marker).exists()
    }
    const settings = await Bun.file(join(root, 'bunfig.toml')).text()
    expect(await of('as-here', settings, manifest.trustedDependencies)).toBe(false)
    // Each of both is enough.
    expect(await of('by-settings', settings, [dependency])).toBe(false)
    expect(await of('by-list', '', manifest.trustedDependencies)).toBe(false)
    expect(await of('by-neither', '', [dependency])).toBe(true)
  })
})
