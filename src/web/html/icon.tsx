// An icon, always alongside a word: it is hidden from those who hear the page.

/** @jsxImportSource preact */

import { iconPaths } from './icon-paths.ts'

export type IconName = keyof typeof iconPaths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" dangerouslySetInnerHTML={{ __html: iconPaths[name] }} />
)
