// A time of a view, which is ISO 8601, as people read it.

/** @jsxImportSource preact */

import { When } from '../../html/components.tsx'

export const Instant = ({ at }: { at: string }) => <When at={Date.parse(at) * 1000} />
