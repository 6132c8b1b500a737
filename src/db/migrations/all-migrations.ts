// Every migration of this release, in order. Named one by one, so that they are part of the binary that scripts/build makes.

import { createHash } from 'node:crypto'
import foundation from './0001-foundation.sql' with { type: 'text' }

export interface Migration {
  name: string
  text: string
  sha256: string
}

const files: Readonly<Record<string, string>> = {
  '0001-foundation.sql': foundation,
}

export const allMigrations: readonly Migration[] = Object.entries(files).map(([name, text]) => ({
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
}))
