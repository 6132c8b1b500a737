// The page at `/` for browsers: where residents, developers and staff go next. It contains no data, so it is public.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { PlainPage } from '../html/shell.tsx'

export const FrontPage = ({ hasConsole, hasApply }: { hasConsole: boolean; hasApply: boolean }): VNode => (
  <PlainPage title="Welcome">
    <ul class="ways">
      {hasApply && (
        <li>
          <a href="/apply">Apply for a program</a>
          <small>For residents. No account needed.</small>
        </li>
      )}
      <li>
        <a href="/docs/api/programs">API documentation</a>
        <small>For developers with an API key{hasConsole && ', and for staff'}.</small>
      </li>
      {hasConsole && (
        <li>
          <a href="/admin">Console</a>
          <small>For staff with an account.</small>
        </li>
      )}
    </ul>
  </PlainPage>
)
