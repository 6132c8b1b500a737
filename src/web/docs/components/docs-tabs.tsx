// The two parts of the docs: of each program, and of the service itself.

/** @jsxImportSource preact */

import { Tabs } from '../../html/components.tsx'

export const DocsTabs = ({ current }: { current: 'programs' | 'service' }) => (
  <Tabs
    label="Documentation"
    tabs={[
      { text: 'Programs', path: '/docs/api/programs', current: current === 'programs' },
      { text: 'Operations of the service', path: '/docs/api', current: current === 'service' },
    ]}
  />
)
