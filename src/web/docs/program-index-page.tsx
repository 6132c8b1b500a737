// The page that lists programs: one row for each, with links and a short example response for each version.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { Micros } from '../../domain/values/offset-time.ts'
import { LinkButton } from '../html/components.tsx'
import { isPart, SearchForm } from '../html/lists.tsx'
import { usePage } from '../html/page-context.ts'
import { Shell } from '../html/shell.tsx'
import { type Freshness, type ProgramFreshness, VersionFreshness, WhereJobsAre } from './components/docs-freshness.tsx'
import { DocsTabs } from './components/docs-tabs.tsx'
import { JsonTree } from './components/json-tree.tsx'
import { MarkdownLinks } from './components/markdown-links.tsx'
import { Panel } from './components/panels.tsx'
import { docsPath, type ListedProgram, type ListedVersionView, type ProgramList } from './program-view.ts'

interface ProgramIndexProps {
  list: ProgramList
  /** For administrators and auditors only. */
  freshness?: Freshness
  now: Micros
}

export function ProgramIndexPage({ list, freshness, now }: ProgramIndexProps): VNode {
  const { programs, next_url } = list
  return (
    <Shell
      title="Documentation"
      part="documentation"
      styles={['/assets/docs.css']}
      scripts={['/assets/docs.js']}
      actions={<MarkdownLinks path="/docs/api/programs" />}
      lead="Question keys, option IDs, example responses and code samples for each program."
    >
      <DocsTabs current="programs" />
      <SearchForm path="/docs/api/programs" label="Find a program" hint="Name or slug" />
      {programs.length === 0 ? (
        <div class="card empty">
          <Nothing />
        </div>
      ) : (
        <ul class="card documented">
          {programs.map(program => (
            <ProgramRow program={program} freshness={freshness?.get(program.slug)} now={now} />
          ))}
        </ul>
      )}
      {freshness !== undefined && <WhereJobsAre />}
      {next_url !== null && (
        <p>
          <LinkButton href={`/docs/api/programs${new URL(next_url).search}`} text="More programs" />
        </p>
      )}
    </Shell>
  )
}

const Nothing = () => (
  <>
    {isPart(usePage().query)
      ? 'No programs match. Try another search.'
      : 'You don’t have access to any active or draft program.'}
  </>
)

interface RowProps {
  program: ListedProgram
  freshness: ProgramFreshness | undefined
  now: Micros
}

function ProgramRow({ program, freshness, now }: RowProps): VNode {
  const { slug, display_name, versions } = program
  const path = docsPath(slug)
  return (
    <li>
      <div>
        <h2>
          <a href={path} dir="auto">
            {display_name}
          </a>
        </h2>
        <code>{slug}</code>
        {freshness !== undefined && <VersionFreshness versions={freshness} now={now} />}
      </div>
      <div>
        {versions.map(version => (
          <Version version={version} path={path} slug={slug} />
        ))}
      </div>
    </li>
  )
}

/** A version’s links, and its example, which folds. */
function Version({ version, path, slug }: { version: ListedVersionView; path: string; slug: string }): VNode {
  const { program_version_id: id, version_number: number, example, questions_left_out: left } = version
  const title = number === null ? 'Draft' : `Active version ${number}`
  const of = <span class="unseen"> {`${slug}, ${title.toLowerCase()}`}</span>
  return (
    <>
      <p class="links">
        <strong>{title}</strong>
        <a href={`${path}/versions/${id}`}>Docs{of}</a>
        <a href={`${path}/versions/${id}/response.schema.json`}>JSON Schema{of}</a>
        <a href={`${path}/versions/${id}/openapi.json`}>OpenAPI{of}</a>
      </p>
      <details class="example">
        <summary>Example response{of}</summary>
        <p>
          One sample application
          {left > 0 && `; ${left} more question${left === 1 ? ' is' : 's are'} not shown`}.
        </p>
        <Panel id={`example-${slug}-${id}`} title={`Example page: ${slug}, ${title.toLowerCase()}`} tall>
          <JsonTree value={example} id={`example-${slug}-${id}`} />
        </Panel>
      </details>
    </>
  )
}
