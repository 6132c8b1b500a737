// Lists the components of a release as a CycloneDX document (SBOM), or their licenses.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exitCode, showHelpIfAsked } from '../command-line/environment.ts'
import { printTable } from '../command-line/text-table.ts'
import { type LockedPackage, readLockedPackages } from './locked-packages.ts'

const help = `Usage: scripts/sbom [--licences]

Prints the production components as locked in bun.lock: a software bill of materials in CycloneDX 1.6 (JSON), identical for the same
commit. Dependencies must be installed, because each package's license is read from it.

  --licences   a table of packages, versions and licenses instead`

showHelpIfAsked(help)

const root = join(import.meta.dir, '../..')
const manifest = (await Bun.file(join(root, 'package.json')).json()) as {
  name: string
  version: string
  license: string
  engines: { bun: string }
}

process.exit(
  await exitCode(async () => {
    const { values } = parseArgs({ options: { licences: { type: 'boolean' } } })
    const { direct, packages } = await readLockedPackages(root)
    if (values.licences)
      printTable([
        ['Package', 'Version', 'Licence'],
        ...packages.map(({ name, version, licence }) => [name, version, licence]),
      ])
    else console.log(JSON.stringify(billOfMaterials(direct, packages), null, 2))
  }),
)

function billOfMaterials(direct: readonly string[], packages: readonly LockedPackage[]): unknown {
  const refs = new Map(packages.map(item => [item.place, purl(item.name, item.version)]))
  const own = purl(manifest.name, manifest.version)
  const bun = purl('bun', manifest.engines.bun)
  const refsOf = (places: readonly string[]) => [...new Set(places.map(place => refs.get(place)!))].sort()
  // A version may be installed in several places, and needs the dependencies of each.
  const needs = new Map<string, string[]>()
  for (const item of packages) {
    const ref = refs.get(item.place)!
    needs.set(ref, [...(needs.get(ref) ?? []), ...item.needs])
  }
  const once = packages.filter(
    (item, i) => packages.findIndex(other => refs.get(other.place) === refs.get(item.place)) === i,
  )
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: manifest.name,
        version: manifest.version,
        licenses: [{ license: { id: manifest.license } }],
      },
    },
    components: [
      // Its C library is the system's.
      { type: 'platform', 'bom-ref': bun, name: 'bun', version: manifest.engines.bun, purl: bun },
      ...once.map(item => component(item, refs.get(item.place)!)),
    ],
    dependencies: [
      { ref: own, dependsOn: [bun, ...refsOf(direct)] },
      { ref: bun, dependsOn: [] },
      ...[...needs].map(([ref, places]) => ({ ref, dependsOn: refsOf(places) })),
    ],
  }
}

function component({ name, version, sha512, licence, homepage }: LockedPackage, ref: string): unknown {
  const [group, ownName] = name.startsWith('@') ? (name.split('/') as [string, string]) : [undefined, name]
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group === undefined ? {} : { group }),
    name: ownName,
    version,
    purl: ref,
    hashes: [{ alg: 'SHA-512', content: sha512 }],
    licenses: / (OR|AND|WITH) /.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }],
    ...(homepage === undefined ? {} : { externalReferences: [{ type: 'website', url: homepage }] }),
  }
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
