// The dark panel for code: a scrolling box with a copy button.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { CopyButton, ScrollBox } from '../../html/secret.tsx'

interface PanelProps {
  /** ID of the element that is copied. */
  id: string
  title: string
  /** Distinguishes panels with the same title, for screen readers. */
  of?: string
  tall?: boolean
  children: ComponentChildren
}

export function Panel({ id, title, of, tall, children }: PanelProps): VNode {
  const label = of === undefined ? title : `${title} of ${of}`
  return (
    <div class="panel">
      <div class="bar">
        {of === undefined ? <h3>{title}</h3> : <h4>{title}</h4>}
        <CopyButton look="copy" of={id} what={label} />
      </div>
      <ScrollBox label={label} tall={tall}>
        {children}
      </ScrollBox>
    </div>
  )
}
