// The list of programs as a page: what there is, and a short example response of each version.
// It must not know whose list it is.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { DocsShell, ScrollBox } from './docs-shell.tsx'
import { type ListedProgram, type ListedVersionView, type ProgramList, versionAnchor } from './program-view.ts'

export function ProgramIndexPage({ list, root }: { list: ProgramList; root: string }): VNode {
  const { programs, next_url } = list
  return (
    <DocsShell title="Programs" current="programs" root={root}>
      <h1>Programs</h1>
      {programs.length === 0 ? (
        <p>There is no {next_url === null ? '' : 'other '}active or draft program that you may see.</p>
      ) : (
        <>
          <ScrollBox label="Programs">
            <Table programs={programs} root={root} />
          </ScrollBox>
          {programs.map(program => (
            <Examples program={program} root={root} />
          ))}
        </>
      )}
      {next_url !== null && (
        <p>
          <a href={`${root}/docs/api/programs${new URL(next_url).search}`}>More programs</a>
        </p>
      )}
    </DocsShell>
  )
}

const pathOf = (program: ListedProgram, root: string): string => `${root}/docs/api/programs/${program.slug}`

function Table({ programs, root }: { programs: readonly ListedProgram[]; root: string }): VNode {
  return (
    <table>
      <caption>
        <span>Active and draft programs you may see</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">Program</th>
          <th scope="col">Active version</th>
          <th scope="col">Draft</th>
        </tr>
      </thead>
      <tbody>
        {programs.map(program => (
          <tr>
            <th scope="row">
              <a class="name" href={pathOf(program, root)}>
                {program.display_name}
              </a>
              <br />
              <code>{program.slug}</code>
            </th>
            <td>{program.active_version_id ?? 'none'}</td>
            <td>{program.draft_version_id ?? 'none'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Examples({ program, root }: { program: ListedProgram; root: string }): VNode {
  return (
    <section aria-labelledby={`program-${program.slug}`}>
      <h2 id={`program-${program.slug}`}>{program.display_name}</h2>
      {program.versions.map(version => (
        <Example version={version} path={pathOf(program, root)} slug={program.slug} />
      ))}
    </section>
  )
}

function Example({ version, path, slug }: { version: ListedVersionView; path: string; slug: string }): VNode {
  const { program_version_id: id, state, example, questions_left_out: left } = version
  const heading = `${state === 'ACTIVE' ? 'Active version' : 'Draft'} ${id}`
  return (
    <>
      <h3>{heading}</h3>
      <p>
        A response with one invented application{left > 0 && `, without ${left} more questions`}.{' '}
        <a href={`${path}#${versionAnchor(id)}`}>All question keys and option IDs, schema and samples</a>
      </p>
      <ScrollBox label={`Example response of ${slug}, ${heading.toLowerCase()}`} tall>
        <pre>
          <code>{JSON.stringify(example, null, 2)}</code>
        </pre>
      </ScrollBox>
    </>
  )
}
