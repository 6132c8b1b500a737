// The bar beside a figure in a list of figures.

/** @jsxImportSource preact */

import type { Tone } from '../components.tsx'

/** Its length is the value's share of the largest one. Only an outline if there is no tone, because there is no status. */
export const TallyBar = ({
  value,
  most,
  tone,
}: {
  value: number
  most: number
  tone: Tone | 'outline' | undefined
}) => (
  <svg class={tone} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect width={Math.max(1, Math.round((value / most) * 100))} height="8" />
  </svg>
)
