// The two parts of the docs: of each program, and of the service itself.

/** @jsxImportSource preact */

import type { PageContext } from '../../html/page-context.ts'
import { Tabs } from '../../html/parts.tsx'

export const DocsTabs = ({ context, current }: { context: PageContext; current: 'programs' | 'service' }) => (
  <Tabs
    label="Documentation"
    tabs={[
      { text: 'Programs', path: `${context.root}/docs/api/programs`, current: current === 'programs' },
      { text: 'Operations of the service', path: `${context.root}/docs/api`, current: current === 'service' },
    ]}
  />
)
