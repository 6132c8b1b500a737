// Text to copy: code samples, indented text, and secrets that are shown once.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

/** Copies the text of an element, which `what` names for screen readers. Hidden until a script shows it. */
export const CopyButton = (props: { of: string; what?: string; look?: 'plain' | 'copy'; text?: string }) => {
  const { of, what, look = 'plain', text = 'Copy' } = props
  return (
    <button type="button" class={look} data-copy={of} hidden>
      <Icon name="copy" />
      {what !== undefined && <span class="unseen">{what}: </span>}
      {text}
    </button>
  )
}

/** A message for a person to send in their own email. */
export const Message = ({ children }: { children: string }) => (
  <section class="card narrow">
    <h2>Message to send</h2>
    <pre id="message" dir="auto">
      {children}
    </pre>
    <div class="actions">
      <CopyButton of="message" text="Copy message" />
    </div>
  </section>
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

/** Code or a table too wide or too long for its place: it scrolls in its own box, which the keyboard can reach. */
export function ScrollBox({ label, tall, children }: { label: string; tall?: boolean; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class={tall ? 'scroll tall' : 'scroll'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** The hanging indent of lines at this depth, two spaces per level, up to a maximum that leaves enough room for words. */
export const hangClass = (depth: number): string => `d${Math.min(depth, 12)}`

/** Two spaces per level, after which the line does not break. */
export const Indentation = ({ depth }: { depth: number }) => (depth === 0 ? null : <i>{'  '.repeat(depth)}</i>)

/** A line including its line break, after its indentation: if it is too long, it wraps with a hanging indent. */
export const Line = ({ depth, children }: { depth: number; children: ComponentChildren }) => (
  <span class={hangClass(depth)}>
    <Indentation depth={depth} />
    {children}
  </span>
)

/** A text that is indented by two spaces, like JSON. The text itself is unchanged. */
export const Lines = ({ children }: { children: string }) => (
  <>
    {children.split(/(?<=\n)/).map(line => {
      const depth = Math.floor(line.search(/[^ ]|$/) / 2)
      return <Line depth={depth}>{line.slice(2 * depth)}</Line>
    })}
  </>
)

export const IndentedText = ({ children }: { children: string }) => (
  <pre class="document">
    <Lines>{children}</Lines>
  </pre>
)

export interface CodeTab {
  id: string
  title: string
  about: ComponentChildren
  code: string
  /** The code with marks where it may wrap; without them, it scrolls. */
  shown?: ComponentChildren
  /** Another action for it. */
  action?: ComponentChildren
}

/** Alternatives of which one is open. They look like tabs if the browser's style sheets support it, otherwise like folds. They need docs.css. */
export function CodeTabs({ name, tabs }: { name: string; tabs: readonly CodeTab[] }) {
  return (
    <div class="panel folds">
      {tabs.map(({ id, title, about, code, shown, action }, i) => (
        <details name={name} open={i === 0}>
          <summary>{title}</summary>
          <div class="sample">
            <div class="about">
              <p>{about}</p>
              <div class="tools">
                {action}
                <CopyButton look="copy" of={id} what={title} />
              </div>
            </div>
            <ScrollBox label={`Code: ${title}`} tall>
              <pre class={shown === undefined ? undefined : 'wrapping'}>
                <code id={id}>{shown ?? code}</code>
              </pre>
            </ScrollBox>
          </div>
        </details>
      ))}
    </div>
  )
}
