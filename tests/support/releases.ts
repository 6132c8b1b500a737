// Two releases of this checkout in folders of their own: as it is, and as the next one would be, with a migration of each kind.

import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { version } from '../../package.json'
import { useFolder } from './fixtures.ts'

const checkout = join(import.meta.dir, '../..')

/** The next release's version, which may add to the schema. */
export const nextVersion = version.replace(/(\d+)\.\d+$/, (_, minor: string) => `${Number(minor) + 1}.0`)

/** A folder with everything a process needs. */
export async function thisRelease(): Promise<string> {
  const folder = await useFolder()
  for (const name of ['package.json', 'tsconfig.json', 'src', 'workers', 'scripts'])
    await cp(join(checkout, name), join(folder, name), { recursive: true })
  // Third-party packages are this checkout's; ours are the copy's.
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(checkout, 'node_modules'))) {
    const link = join(folder, 'node_modules', name)
    if (name === '@tributary')
      await cp(join(checkout, 'node_modules', name), link, { recursive: true, verbatimSymlinks: true })
    else await symlink(join(checkout, 'node_modules', name), link)
  }
  return folder
}

/** `expanding` and `contracting` are the SQL of its two migrations. */
export async function nextRelease(expanding: string, contracting: string): Promise<string> {
  const folder = await thisRelease()
  await change(folder, 'package.json', `"version": "${version}"`, `"version": "${nextVersion}"`)
  const migrations = join(folder, 'src/db/migrations')
  await Bun.write(join(migrations, '9998-expanding.sql'), `-- expand, oldest release ${version}\n${expanding}\n`)
  await Bun.write(
    join(migrations, '9999-contracting.sql'),
    `-- contract, oldest release ${nextVersion}\n${contracting}\n`,
  )
  const list = 'src/db/migrations/all-migrations.ts'
  await change(
    folder,
    list,
    "import foundation from './0001-foundation.sql' with { type: 'text' }\n",
    `import foundation from './0001-foundation.sql' with { type: 'text' }
import expanding from './9998-expanding.sql' with { type: 'text' }
import contracting from './9999-contracting.sql' with { type: 'text' }
`,
  )
  await change(
    folder,
    list,
    '\n}\n\nconst outsideStatement',
    "\n  '9998-expanding.sql': expanding,\n  '9999-contracting.sql': contracting,\n}\n\nconst outsideStatement",
  )
  return folder
}

async function change(folder: string, path: string, from: string, to: string): Promise<void> {
  const text = await Bun.file(join(folder, path)).text()
  if (text.split(from).length !== 2) throw new Error(`${path} does not have this once: ${from}`)
  await Bun.write(join(folder, path), text.replace(from, to))
}
