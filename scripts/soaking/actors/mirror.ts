// `tributary pull --follow` into a folder, as a client runs it.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Installation, launch, type SoakKey, slug } from '../installation/installation.ts'
import { Kept } from '../installation/kept.ts'
import type { Members } from '../seen/contents.ts'

export interface Mirror {
  process: Kept
  /** Its contents, by application. */
  read(): Promise<Map<number, Members>>
}

export function followInto({ folder, services, complaints }: Installation, { username, password }: SoakKey): Mirror {
  const out = join(folder, 'mirror')
  const environment = { TRIBUTARY_USERNAME: username, TRIBUTARY_PASSWORD: password }
  const args = ['pull', services[0]!.url, '--program', slug, '--out', `${out}/`, '--follow']
  return {
    process: new Kept(async () => {
      const child = launch('scripts/tributary.ts', environment, complaints, args)
      // Being unavailable or interrupted is not the mirror's own error.
      void child.exited.then(code => {
        if ([1, 2, 4].includes(code)) complaints.push(`tributary pull --follow ended with ${code}`)
      })
      return child
    }),
    read: async () => {
      const files = (await readdir(out)).filter(name => /^\d+\.json$/.test(name))
      const read = files.map(async name => [Number.parseInt(name, 10), await Bun.file(join(out, name)).json()] as const)
      return new Map(await Promise.all(read))
    },
  }
}
