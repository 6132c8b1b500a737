// Shows a view's ISO 8601 time in readable form.

/** @jsxImportSource preact */

import { When } from '../../html/components.tsx'

export const Instant = ({ at }: { at: string }) => <When at={Date.parse(at) * 1000} />
