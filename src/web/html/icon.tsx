// An icon, always next to a word, and therefore hidden from screen readers.

/** @jsxImportSource preact */

import { iconPaths } from './icon-paths.ts'

export type IconName = keyof typeof iconPaths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" dangerouslySetInnerHTML={{ __html: iconPaths[name] }} />
)
