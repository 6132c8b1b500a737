// The frame of the pages about a version's questions besides its docs: their table, and how they changed.

/** @jsxImportSource preact */

import type { ComponentChildren, ComponentProps, VNode } from 'preact'
import { Shell } from '../../html/shell.tsx'
import { MarkdownLinks } from './markdown-links.tsx'
import { type InLanguage, LanguageMenu, languageQuery, ProgramName, TextLanguage } from './text-language.tsx'

interface SidePageProps extends ComponentProps<typeof ProgramName> {
  /** Path of the program’s docs. */
  path: string
  shown: InLanguage & { program_version_id: number }
  /** Last step of the page's address. */
  step: 'questions' | 'changes'
  title: string
  lead: string
  children: ComponentChildren
}

export function SidePage({ path, program, shown, step, title, lead, children }: SidePageProps): VNode {
  const query = languageQuery(shown)
  const own = `${path}/versions/${shown.program_version_id}/${step}`
  return (
    <Shell
      title={`${title} · ${program.display_name}`}
      heading={
        <>
          <ProgramName program={program} />: {title.toLowerCase()}
        </>
      }
      part="documentation"
      crumbs={[
        { text: 'Documentation', path: '/docs/api/programs' },
        { text: program.display_name, lang: program.versions[0]?.language, path: path + query },
        { text: title },
      ]}
      styles={['/assets/docs.css']}
      scripts={['/assets/docs.js']}
      actions={<MarkdownLinks path={own} query={query} />}
      lead={lead}
    >
      <LanguageMenu shown={shown} path={own} />
      <TextLanguage value={shown}>{children}</TextLanguage>
    </Shell>
  )
}
