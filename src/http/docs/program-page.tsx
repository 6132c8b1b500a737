// The docs of one program as a page: its active version and its draft side by side, then code that exports it.
// It must not know more than the view it is given, which is also the JSON.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { DocsShell, ScrollBox } from './docs-shell.tsx'
import { type ProgramView, type VersionView, versionAnchor } from './program-view.ts'
import { QuestionTable } from './question-table.tsx'

export function ProgramPage({ program, root }: { program: ProgramView; root: string }): VNode {
  const { display_name, slug, versions, code_samples } = program
  return (
    <DocsShell title={display_name} current="programs" root={root}>
      <h1>{display_name}</h1>
      <dl class="facts">
        <Fact name="Slug" value={<code>{slug}</code>} />
        <Fact name="Export" value={<code>GET {program.export_url}</code>} />
        <Fact name="Check your key" value={<code>GET {program.check_auth_url}</code>} />
        <Fact name="Authentication" value="HTTP Basic, with the Username and Password of your API key" />
      </dl>
      <nav aria-label="On this page">
        <ul class="inline">
          {versions.map(version => (
            <li>
              <a href={`#${anchor(version)}`}>{heading(version)}</a>
            </li>
          ))}
          <li>
            <a href="#samples">Code samples</a>
          </li>
        </ul>
      </nav>
      {versions.length === 0 && <p>This program has no active version and no draft. Its export is empty.</p>}
      <div class="versions">
        {versions.map(version => (
          <Version version={version} />
        ))}
      </div>
      <section aria-labelledby="samples">
        <h2 id="samples">Code samples</h2>
        <p>
          Ready to run. Each gets every page, repeats one that was refused for the moment or broke off, keeps only whole
          ones, and takes the credentials from the environment.
        </p>
        {code_samples.map((sample, i) => (
          <details open={i === 0}>
            <summary>
              <h3 id={`sample-${sample.id}`}>{sample.label}</h3>
            </summary>
            <p>
              {sample.usage} {!sample.run_by_tests && <strong>Written with care, but not run by our tests.</strong>}{' '}
              <a href={sample.url}>Download {sample.file_name}</a>
            </p>
            <ScrollBox label={`Code sample: ${sample.label}`}>
              <pre>
                <code>{sample.code}</code>
              </pre>
            </ScrollBox>
          </details>
        ))}
      </section>
    </DocsShell>
  )
}

const anchor = (version: VersionView): string => versionAnchor(version.program_version_id)
const heading = (version: VersionView): string =>
  `${version.state === 'ACTIVE' ? 'Active version' : 'Draft'} ${version.program_version_id}`

function Fact({ name, value }: { name: string; value: VNode | string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Version({ version }: { version: VersionView }): VNode {
  const { program_version_id: id, state, regeneration_failed_at: failedAt, statuses } = version
  return (
    <article aria-labelledby={anchor(version)}>
      <h2 id={anchor(version)}>{heading(version)}</h2>
      {state === 'DRAFT' && (
        <p class="note">Not published: no application has been submitted to it, and it may still change.</p>
      )}
      {failedAt !== null && (
        <p class="note">
          The last regeneration failed at <Time at={failedAt} />. What is shown here was generated at{' '}
          <Time at={version.generated_at} />.
        </p>
      )}
      <dl class="facts">
        <Fact name={state === 'ACTIVE' ? 'Published' : 'Saved'} value={<Time at={version.since} />} />
        <Fact name="Generated" value={<GeneratedFrom version={version} />} />
        <Fact name="Statuses" value={statuses.length === 0 ? 'none defined' : statuses.join(', ')} />
        <Fact
          name="Downloads"
          value={
            <ul class="inline">
              <li>
                <a href={version.response_schema_url}>JSON Schema</a>
              </li>
              <li>
                <a href={version.openapi_url}>OpenAPI</a>
              </li>
            </ul>
          }
        />
      </dl>
      <h3 id={`changes-${id}`}>What changed</h3>
      <Changes version={version} />
      <h3 id={`example-${id}`}>Example response</h3>
      <p>
        Two invented applications: one with every question answered, one with none. Where a question asks for very many
        entities, selections, files or characters, fewer are shown. <code>nextPageToken</code> is null on the last page.
      </p>
      <ScrollBox label={`Example response of version ${id}`} tall>
        <pre>
          <code>{JSON.stringify(version.example, null, 2)}</code>
        </pre>
      </ScrollBox>
      <h3 id={`questions-${id}`}>Questions</h3>
      <LeftOut version={version} />
      <QuestionTable questions={version.questions} versionId={id} />
    </article>
  )
}

/** Said only where the docs have no room for everything. */
function LeftOut({ version: { left_out } }: { version: VersionView }): VNode | null {
  const { questions, options } = left_out
  if (questions === 0 && options === 0) return null
  return (
    <p class="note">
      The program is too large to be shown whole: {questions} questions and {options} option IDs more are in its export,
      and neither in this table nor in the example. By the JSON Schema they are valid.
    </p>
  )
}

function GeneratedFrom({ version }: { version: VersionView }): VNode {
  return (
    <>
      <Time at={version.generated_at} /> from version {version.program_version_id}
    </>
  )
}

function Changes({ version }: { version: VersionView }): VNode {
  const { changed_since, changes, left_out } = version
  if (changed_since === null) return <p>This is the first version of the program.</p>
  if (changes.length === 0) return <p>Nothing, since version {changed_since}.</p>
  return (
    <>
      <p>Since version {changed_since}:</p>
      <ul>
        {changes.map(change => (
          <li>
            {change.subject !== '' && <strong>{change.subject}: </strong>}
            {change.detail}
          </li>
        ))}
        {left_out.changes > 0 && <li>{left_out.changes} more.</li>}
      </ul>
    </>
  )
}

function Time({ at }: { at: string }): VNode {
  return <time dateTime={at}>{at.replace('T', ' ').replace(/(?=[+-]\d\d:\d\d$)/, ' ')}</time>
}
