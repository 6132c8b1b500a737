// The frame of the pages about a version's questions besides its docs: their table, and how they changed.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { Shell } from '../../html/shell.tsx'
import { MarkdownLinks } from './markdown-links.tsx'

interface SidePageProps {
  /** Path and name of the program’s docs. */
  path: string
  program: string
  versionId: number
  /** Last step of the page's address. */
  step: 'questions' | 'changes'
  title: string
  lead: string
  children: ComponentChildren
}

export function SidePage({ path, program, versionId, step, title, lead, children }: SidePageProps): VNode {
  return (
    <Shell
      title={`${title} · ${program}`}
      heading={`${program}: ${title.toLowerCase()}`}
      part="documentation"
      crumbs={[{ text: 'Documentation', path: '/docs/api/programs' }, { text: program, path }, { text: title }]}
      styles={['/assets/docs.css']}
      scripts={['/assets/docs.js']}
      actions={<MarkdownLinks path={`${path}/versions/${versionId}/${step}`} />}
      lead={lead}
    >
      {children}
    </Shell>
  )
}
