// Text for copying, and secrets, which are shown once.

/** @jsxImportSource preact */

import { Icon } from './icon.tsx'

/** Copies the text of an element; screen readers hear which by `what`. Hidden until a script shows it. */
export const CopyButton = ({ of, what, look = 'plain' }: { of: string; what?: string; look?: 'plain' | 'copy' }) => (
  <button type="button" class={look} data-copy={of} hidden>
    <Icon name="copy" />
    {what !== undefined && <span class="unseen">{what}: </span>}
    Copy
  </button>
)

export const Secret = ({ id, label, value }: { id: string; label: string; value: string }) => (
  <div class="secret">
    <span class="label" id={`${id}-label`}>
      {label}
    </span>
    <code id={id}>{value}</code>
    <CopyButton of={id} />
  </div>
)

/** A command that uses a secret, to be copied. */
export const CommandSample = ({ text }: { text: string }) => (
  <div class="code">
    <p class="bar">
      curl
      <CopyButton of="sample" />
    </p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse */}
    <pre tabIndex={0}>
      <code id="sample">{text}</code>
    </pre>
  </div>
)
