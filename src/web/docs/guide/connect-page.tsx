// Shows how to connect common tools: the best method for each, its steps, and whether our tests run them.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { Badge, Words } from '../../html/components.tsx'
import { Shell } from '../../html/shell.tsx'
import { codeSamples } from '../code-samples/code-samples.ts'
import { DocsTabs } from '../components/docs-tabs.tsx'
import { MarkdownLinks } from '../components/markdown-links.tsx'
import { CommandSample } from '../components/run.tsx'
import { connectedTools, type Tool } from './connected-tools.ts'

interface ConnectProps {
  baseUrl: string
  /** A program that the reader can see; undefined if there is none. */
  slug: string | undefined
}

export function ConnectPage({ baseUrl, slug }: ConnectProps): VNode {
  const tools = connectedTools(baseUrl, slug ?? 'your-program')
  const samples = codeSamples(baseUrl, slug ?? 'your-program')
  return (
    <Shell
      title="Connect your tool"
      part="documentation"
      crumbs={[{ text: 'Documentation', path: '/docs/api/programs' }, { text: 'Connect your tool' }]}
      styles={['/assets/docs.css']}
      scripts={['/assets/docs.js']}
      actions={<MarkdownLinks path="/docs/api/connect" />}
      lead="Steps for spreadsheets, databases, languages and pipelines."
    >
      <DocsTabs current="connect" />
      {slug !== undefined && (
        <p>
          The examples export the program <code>{slug}</code>. Replace it with the slug of{' '}
          <a href="/docs/api/programs">your program</a>.
        </p>
      )}
      {tools.map(tool => (
        <ToolSection tool={tool} slug={slug} fileName={samples.find(({ id }) => id === tool.sample)?.file_name} />
      ))}
    </Shell>
  )
}

interface ToolSectionProps {
  tool: Tool
  slug: string | undefined
  fileName: string | undefined
}

function ToolSection({ tool, slug, fileName }: ToolSectionProps): VNode {
  const { id, name, way, tested, steps, snippets = [] } = tool
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{name}</h2>
      <p>
        {way}{' '}
        <Badge tone={tested === undefined ? undefined : 'good'}>
          {tested ?? 'Based on the tool’s documentation, not tested'}
        </Badge>
      </p>
      <ol>
        {steps.map(step => (
          <li>
            <Words>{step}</Words>
          </li>
        ))}
      </ol>
      {snippets.map(snippet => (
        <CommandSample {...snippet} />
      ))}
      {slug !== undefined && fileName !== undefined && (
        <p>
          <a href={`/docs/api/programs/${slug}/samples/${fileName}`}>{fileName}</a>
        </p>
      )}
    </section>
  )
}
