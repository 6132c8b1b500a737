// The page that lists programs, each with its versions and a short example response for each version.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { Micros } from '../../domain/values/offset-time.ts'
import { LinkButton, Named, Table } from '../html/components.tsx'
import { isPart, SearchForm } from '../html/lists.tsx'
import { usePage } from '../html/page-context.ts'
import { Shell } from '../html/shell.tsx'
import { DocsTabs } from './components/docs-tabs.tsx'
import { JsonTree } from './components/json-tree.tsx'
import { Panel } from './components/panels.tsx'
import { type Freshness, freshnessColumn, WhereJobsAre } from './docs-freshness.tsx'
import type { ListedProgram, ListedVersionView, ProgramList } from './program-view.ts'

interface ProgramIndexProps {
  list: ProgramList
  /** For administrators and auditors only. */
  freshness?: Freshness
  now: Micros
}

export function ProgramIndexPage({ list, freshness, now }: ProgramIndexProps): VNode {
  const { programs, next_url } = list
  const pathOf = ({ slug }: ListedProgram): string => `/docs/api/programs/${slug}`
  return (
    <Shell
      title="Documentation"
      part="documentation"
      styles={['/assets/docs.css']}
      lead="Question keys, option IDs, example responses and code samples for each program."
    >
      <DocsTabs current="programs" />
      <SearchForm path="/docs/api/programs" label="Find a program" hint="Name or slug" />
      <Table
        caption="Programs you can access"
        rows={programs}
        empty={<Nothing />}
        columns={[
          {
            head: 'Program',
            cell: program => (
              <Named href={pathOf(program)} name={program.display_name} small={<code>{program.slug}</code>} />
            ),
          },
          { head: 'Active version', cell: program => program.active_version_number ?? 'none', figures: true },
          { head: 'Draft', cell: program => <Draft program={program} path={pathOf(program)} /> },
          ...(freshness === undefined ? [] : [freshnessColumn(freshness, now)]),
        ]}
      />
      {freshness !== undefined && <WhereJobsAre />}
      {programs.map((program, i) => (
        <Examples program={program} path={pathOf(program)} open={i === 0} />
      ))}
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

function Draft({ program, path }: { program: ListedProgram; path: string }) {
  const { draft_version_id: id } = program
  return id === null ? <span class="soft">none</span> : <a href={`${path}/versions/${id}`}>View draft</a>
}

function Examples({ program, path, open }: { program: ListedProgram; path: string; open: boolean }): VNode {
  return (
    <section class="card" aria-labelledby={`program-${program.slug}`}>
      <h2 id={`program-${program.slug}`} dir="auto">
        {program.display_name}
      </h2>
      {program.versions.map((version, i) => (
        <Example version={version} path={path} slug={program.slug} open={open && i === 0} />
      ))}
    </section>
  )
}

function Example(props: { version: ListedVersionView; path: string; slug: string; open: boolean }): VNode {
  const { version, path, slug, open } = props
  const { program_version_id: id, version_number: number, example, questions_left_out: left } = version
  const title = number === null ? 'Draft' : `Active version ${number}`
  return (
    <details class="example" open={open}>
      <summary>
        {title}: <span class="soft">example response</span>
      </summary>
      <p>
        A response with one sample application
        {left > 0 && `; ${left} more question${left === 1 ? ' is' : 's are'} not shown`}.{' '}
        <a href={`${path}/versions/${id}`}>
          All question keys, option IDs, schemas and code samples
          <span class="unseen">
            {' '}
            for {slug}, {title.toLowerCase()}
          </span>
        </a>
      </p>
      <Panel id={`example-${slug}-${id}`} title={`Example page: ${slug}, ${title.toLowerCase()}`} tall>
        <JsonTree value={example} id={`example-${slug}-${id}`} />
      </Panel>
    </details>
  )
}
