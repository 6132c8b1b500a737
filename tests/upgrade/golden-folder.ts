// Where what earlier releases left is kept.

import { join } from 'node:path'

export const goldenFolder: string = join(import.meta.dir, 'golden')
