// Writes the Homebrew formula and the winget manifests of a release, with the addresses and digests of its files.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { release } from '../../src/base/release.ts'

export interface ReleasedFile {
  name: string
  sha256: string
}

const { version } = release
const { description, license } = (await Bun.file(join(import.meta.dir, '../../package.json')).json()) as Record<
  string,
  string
>
const summary = description!.split(':')[0]
const id = 'Tributary.Tributary'
/** The version of winget's schema. */
const manifestVersion = '1.10.0'

/** Writes `tributary.rb`, and the folder `winget`. `url` is the location of the files, without a trailing slash. */
export async function writeManifests(folder: string, url: string, files: readonly ReleasedFile[]): Promise<void> {
  const fileFor = (system: string): { url: string; sha256: string } => {
    const found = files.find(({ name }) => name.replace(/\.exe$/, '') === `tributary-${version}-${system}`)!
    return { url: `${url}/${found.name}`, sha256: found.sha256 }
  }
  const homepage = url.split('/releases/')[0]!
  await writeFile(join(folder, 'tributary.rb'), formula(fileFor, homepage))
  await mkdir(join(folder, 'winget'))
  for (const [name, manifest] of Object.entries(wingetManifests(fileFor, homepage)))
    await writeFile(join(folder, 'winget', `${id}${name}.yaml`), manifest)
}

type FileFor = (system: string) => { url: string; sha256: string }

function formula(fileFor: FileFor, homepage: string): string {
  const on = (word: string, system: string): string => {
    const { url, sha256 } = fileFor(system)
    return `    on_${word} do\n      url "${url}"\n      sha256 "${sha256}"\n    end\n`
  }
  return `class Tributary < Formula
  desc "${summary}"
  homepage "${homepage}"
  version "${version}"
  license "${license}"

  on_macos do
    depends_on arch: :arm64
${on('arm', 'darwin-arm64')}  end
  on_linux do
${on('arm', 'linux-arm64')}${on('intel', 'linux-x64')}  end

  def install
    bin.install Dir["tributary-*"].first => "tributary"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tributary --version")
  end
end
`
}

/** By the suffix of their names. */
function wingetManifests(fileFor: FileFor, homepage: string): Record<string, string> {
  const { url, sha256 } = fileFor('windows-x64')
  const manifest = (type: string, fields: string): string =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${manifestVersion}.schema.json
PackageIdentifier: ${id}
PackageVersion: ${version}
${fields}ManifestType: ${type}
ManifestVersion: ${manifestVersion}
`
  const installer = `InstallerType: portable
Commands:
- tributary
Installers:
- Architecture: x64
  InstallerUrl: ${url}
  InstallerSha256: ${sha256.toUpperCase()}
`
  const locale = `PackageLocale: en-US
Publisher: Tributary
PackageName: Tributary
PackageUrl: ${homepage}
License: ${license}
ShortDescription: ${summary}.
`
  return {
    '': manifest('version', 'DefaultLocale: en-US\n'),
    '.installer': manifest('installer', installer),
    '.locale.en-US': manifest('defaultLocale', locale),
  }
}
