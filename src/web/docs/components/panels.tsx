// The dark panel to copy from: code with its copy button, in a box that scrolls.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { CopyButton, ScrollBox } from '../../html/secret.tsx'

interface PanelProps {
  /** Of what is copied. */
  id: string
  title: string
  /** What it belongs to, where a page has several of one title; for screen readers. */
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
