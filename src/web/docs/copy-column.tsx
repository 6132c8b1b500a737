// The column of a program's docs with material to copy and run: code samples, the response, and the example.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { usePage } from '../html/page-context.ts'
import { CodeTabs } from '../html/secret.tsx'
import { type JsonMark, JsonTree } from './components/json-tree.tsx'
import { Panel } from './components/panels.tsx'
import { Command, ResponsePanel, RunButton, type Runnable } from './components/run.tsx'
import { pullCommand } from './guide/connected-tools.ts'
import { loginOf, type Reader } from './guide/get-started.tsx'
import type { ProgramView, VersionView } from './program-view.ts'

/** Tabs with code: the first page with curl, and all pages in each language. */
export function Code({ reader, program, run }: { reader: Reader; program: ProgramView; run: Runnable | undefined }) {
  const { username, keyName } = reader
  const first = `curl --compressed \\\n  ${loginOf(reader)} \\\n  '${program.export_url}?pageSize=${firstPageSize}'`
  return (
    <>
      <h2 id="samples">Code samples</h2>
      <CodeTabs
        name="samples"
        tabs={[
          {
            id: 'first-page',
            title: 'First page',
            about: (
              <>
                {username === undefined && 'Needs the Username and Password of an API key.'}
                {username !== undefined &&
                  (keyName === undefined ? (
                    'Uses your Username.'
                  ) : (
                    <>
                      Uses the Username of your newest key for this program, <bdi>{keyName}</bdi>.
                    </>
                  ))}
              </>
            ),
            code: first,
            shown: <Command>{first}</Command>,
            action: run !== undefined && <RunButton run={run} what="First page" />,
          },
          ...program.code_samples.map(sample => ({
            id: `sample-${sample.id}`,
            title: sample.label,
            about: (
              <>
                {sample.usage} {!sample.run_by_tests && <strong>Not covered by our tests.</strong>}{' '}
                <a href={sample.url}>Download {sample.file_name}</a>
              </>
            ),
            code: sample.code,
            action: run !== undefined && <RunButton run={run} what={`First page of ${sample.label}`} />,
          })),
        ]}
      />
      <p>
        Each sample reads all pages, retries failed pages, keeps only complete ones, and takes the credentials from
        environment variables
        {username === undefined ? (
          ''
        ) : (
          <>
            , where <code>TRIBUTARY_USERNAME</code> is <code>{username}</code>
          </>
        )}
        . Without writing code, run <PullCommand {...program} />, which also resumes after interruptions and writes CSV
        or Parquet if the file name ends in .csv or .parquet.
      </p>
      {(run !== undefined || reader.isKey) && <ResponsePanel />}
    </>
  )
}

const PullCommand = ({ slug }: ProgramView) => <code>{pullCommand(usePage().baseUrl, slug, `${slug}.ndjson`)}</code>

/** Number of applications in a first response: enough to see, and quick to read. */
const firstPageSize = 5

/** The request that readers can run beside the first sample: with a key, its own data; for staff, a sample. */
export function firstRun({ isKey, mayExport }: Reader, program: ProgramView): Runnable | undefined {
  if (isKey) return mayExport ? { url: `${program.export_url}?pageSize=${firstPageSize}` } : undefined
  const [version] = program.versions
  return version && { url: `${program.docs_url}/versions/${version.program_version_id}`, isSample: true }
}

export function Example(props: {
  shown: VersionView
  title: string
  marks: ReadonlyMap<string, JsonMark>
  changed: number
}): VNode {
  const { shown, title, marks, changed } = props
  return (
    <>
      <h2 id="example">Example response</h2>
      <p>
        Two sample applications: one with every question answered and one with none. Very long lists and texts are
        shortened. Keys link to their descriptions.
        {changed > 0 && ' Changes in the draft are highlighted.'}
      </p>
      <Panel id="example-json" title={`Example page: ${title}`} tall>
        <JsonTree value={shown.example} id="example-json" marks={marks} />
      </Panel>
    </>
  )
}
