// Text for copying, and secrets, which are shown once.

/** @jsxImportSource preact */

import { Icon } from './icon.tsx'

/** Copies the text of an element. Hidden where scripts are off. */
export const CopyButton = ({ of }: { of: string }) => (
  <button type="button" class="plain" data-copy={of} hidden>
    <Icon name="copy" />
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
