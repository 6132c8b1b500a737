// The list of programs as a page.
// It must not know whose list it is.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { DocsShell, ScrollBox } from './docs-shell.tsx'
import type { ProgramLine } from './program-view.ts'

export function ProgramIndexPage({ programs, root }: { programs: readonly ProgramLine[]; root: string }): VNode {
  return (
    <DocsShell title="Programs" current="programs" root={root}>
      <h1>Programs</h1>
      {programs.length === 0 ? (
        <p>There is no active or draft program that you may see.</p>
      ) : (
        <ScrollBox label="Programs">
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
                    <a class="name" href={`${root}/docs/api/programs/${program.slug}`}>
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
        </ScrollBox>
      )}
    </DocsShell>
  )
}
