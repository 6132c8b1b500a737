// Tabs for the parts of the docs: programs, the API reference, and how to connect tools.

/** @jsxImportSource preact */

import { Tabs } from '../../html/components.tsx'

export const DocsTabs = ({ current }: { current: 'programs' | 'service' | 'connect' }) => (
  <Tabs
    label="Documentation"
    tabs={[
      { text: 'Programs', path: '/docs/api/programs', current: current === 'programs' },
      { text: 'API reference', path: '/docs/api', current: current === 'service' },
      { text: 'Connect your tool', path: '/docs/api/connect', current: current === 'connect' },
    ]}
  />
)
