// Tabs for the two parts of the docs: programs and the API reference.

/** @jsxImportSource preact */

import { Tabs } from '../../html/components.tsx'

export const DocsTabs = ({ current }: { current: 'programs' | 'service' }) => (
  <Tabs
    label="Documentation"
    tabs={[
      { text: 'Programs', path: '/docs/api/programs', current: current === 'programs' },
      { text: 'API reference', path: '/docs/api', current: current === 'service' },
    ]}
  />
)
