// The dark panels to copy from: code with its copy button, one sample or several languages as tabs, in boxes that scroll.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { CopyButton } from '../../html/secret.tsx'

/** Code or a table too wide or too long for its place: it scrolls in a box of its own, which the keyboard can reach. */
function ScrollBox({ label, tall, children }: { label: string; tall?: boolean; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class={tall ? 'scroll tall' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

interface PanelProps {
  /** Of what is copied. */
  id: string
  title: string
  tall?: boolean
  children: ComponentChildren
}

export function Panel({ id, title, tall, children }: PanelProps): VNode {
  return (
    <div class="panel">
      <div class="bar">
        <h3>{title}</h3>
        <CopyButton look="copy" of={id} what={title} />
      </div>
      <ScrollBox label={title} tall={tall}>
        {children}
      </ScrollBox>
    </div>
  )
}

interface CodeTab {
  id: string
  title: string
  about: ComponentChildren
  code: string
}

/** Of several, one is open. They look like tabs where style sheets can make them so, and like folds where not. */
export function CodeTabs({ name, tabs }: { name: string; tabs: readonly CodeTab[] }): VNode {
  return (
    <div class="panel folds">
      {tabs.map(({ id, title, about, code }, i) => (
        <details name={name} open={i === 0}>
          <summary>{title}</summary>
          <div class="sample">
            <div class="about">
              <p>{about}</p>
              <CopyButton look="copy" of={id} what={title} />
            </div>
            <ScrollBox label={`Code: ${title}`} tall>
              <pre>
                <code id={id}>{code}</code>
              </pre>
            </ScrollBox>
          </div>
        </details>
      ))}
    </div>
  )
}
