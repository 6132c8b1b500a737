// The dark panel to copy from: code with its copy button, in a box that scrolls.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { CopyButton, ScrollBox } from '../../html/secret.tsx'

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
