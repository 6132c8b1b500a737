// The docs page of a program version, in three columns: navigation, explanations, and examples to copy. The page of a draft shows its changes
// and links to the active version for the rest.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../domain/samples/version-docs.ts'
import { Badge, counted, Notice, Tabs } from '../html/components.tsx'
import { usePage } from '../html/page-context.ts'
import { CodeTabs, CopyButton } from '../html/secret.tsx'
import { ThreeColumns } from '../html/shell.tsx'
import { type FindGroup, FindList } from './components/find-list.tsx'
import { Instant } from './components/instant.tsx'
import { type JsonMark, JsonTree } from './components/json-tree.tsx'
import { Panel } from './components/panels.tsx'
import { Changes, changedQuestions, changesOf } from './program-changes.tsx'
import type { ProgramView, VersionView } from './program-view.ts'
import { guideEntries, MetadataFields, PullingGuide } from './pulling-guide.tsx'
import { exampleMarks, findQuestions, QuestionList } from './question-list.tsx'

export interface DocumentedPageProps {
  /** Username of the reader's API key, or of the key `keyName`; undefined for a person without a key. */
  username: string | undefined
  /** Name of the newest key that the person created and that can export this program. */
  keyName?: string | undefined
  program: ProgramView
  /** The version shown; undefined if the program has none. */
  shown: VersionView | undefined
}

export function ProgramPage({ username, keyName, program, shown }: DocumentedPageProps): VNode {
  const { display_name, versions } = program
  const active = versions.find(version => version.state === 'ACTIVE')
  const compared = shown?.state === 'DRAFT' ? active : undefined
  const changed = shown === undefined || compared === undefined ? [] : changedQuestions(shown, compared)
  const marks = exampleMarks(shown?.questions ?? [], question => changed.includes(question))
  const common = {
    title: `Documentation · ${display_name}${shown === undefined || shown.state === 'ACTIVE' ? '' : ` · ${titleOf(shown)}`}`,
    heading: display_name,
    part: 'documentation' as const,
    crumbs: [{ text: 'Documentation', path: '/docs/api/programs' }, { text: display_name }],
    styles: ['/assets/docs.css'],
    scripts: ['/assets/find.js', '/assets/docs.js'],
    copy: (
      <>
        <Code username={username} keyName={keyName} program={program} />
        {shown !== undefined && <Example shown={shown} marks={marks} changed={changed.length} />}
      </>
    ),
  }
  if (shown === undefined)
    return (
      <ThreeColumns
        {...common}
        lead="This program has no active version and no draft, so its export is empty."
        find={<FindList what="a section" groups={[{ title: 'Export', entries: guideEntries }]} />}
        first={<Address program={program} />}
      >
        <PullingGuide />
      </ThreeColumns>
    )
  const questions = compared === undefined ? shown.questions : changed
  return (
    <ThreeColumns
      {...common}
      lead={<Lead version={shown} intake={program.intake_state} />}
      find={<FindList what="a question" groups={findGroups(program, shown, questions)} />}
      first={
        <>
          <Address program={program} />
          {versions.length > 1 && <Versions program={program} shown={shown} />}
        </>
      }
    >
      {shown.regeneration_failed_at !== null && <FailedAt at={shown.regeneration_failed_at} />}
      {compared !== undefined && <Changes version={shown} />}
      <Questions shown={shown} compared={compared} questions={questions} path={pathOf(program)} />
      {compared === undefined && (
        <>
          <MetadataFields slug={program.slug} statuses={shown.statuses} />
          <PullingGuide />
          <Changes version={shown} />
        </>
      )}
      <Downloads program={program} version={shown} whole={compared === undefined} />
    </ThreeColumns>
  )
}

const FailedAt = ({ at }: { at: string }) => (
  <Notice name="not-made-again" tone="attention">
    Regenerating the docs failed at <Instant at={at} />. This page shows the previous docs.
  </Notice>
)

const pathOf = ({ slug }: Pick<ProgramView, 'slug'>): string => `/docs/api/programs/${slug}`

/** The program's main page shows the active version, or the draft if there is none. */
const versionPath = (program: ProgramView, version: VersionView): string =>
  version === program.versions[0] ? pathOf(program) : `${pathOf(program)}/versions/${version.program_version_id}`

const titleOf = ({ version_number: number }: VersionView): string =>
  number === null ? 'Draft' : `Active version ${number}`

const intakeTexts = {
  OPEN: '',
  PAUSED: 'The program is paused and does not accept applications at the moment.',
  CLOSED: 'The program is closed and no longer accepts applications.',
  ARCHIVED: 'The program is archived and no longer accepts applications.',
} as const

function Lead({ version, intake }: { version: VersionView; intake: ProgramView['intake_state'] }): VNode {
  const { program_version_id: id, version_number: number, state, since, generated_at } = version
  return (
    <>
      {number === null ? 'Draft ' : `Version ${number} `}(<code>program_version_id</code> <code>{id}</code>),{' '}
      {number === null ? 'saved' : 'active since'} <Instant at={since} />. Docs generated <Instant at={generated_at} />.
      The examples come from the same code as {state === 'ACTIVE' ? 'your data' : 'your future data'}.{' '}
      {intakeTexts[intake]}
    </>
  )
}

function Address({ program }: { program: ProgramView }): VNode {
  return (
    <>
      <div class="card address">
        <Badge tone="good">GET</Badge>
        <code id="export-url">{program.export_url}</code>
        <CopyButton look="copy" of="export-url" what="Export address" />
      </div>
      <div class="card address">
        <Badge tone="good">OData</Badge>
        <code id="feed-url">{program.feed_url}</code>
        <CopyButton look="copy" of="feed-url" what="Feed address for Excel and Power BI" />
      </div>
      <p class="soft">
        In Excel or Power BI, choose Get Data, then From OData feed. Enter the second address, choose Basic, and enter
        the Username and Password of your key.
      </p>
    </>
  )
}

/** Tabs for the active version and the draft. */
function Versions({ program, shown }: Pick<DocumentedPageProps, 'program' | 'shown'>): VNode {
  return (
    <Tabs
      label="Versions"
      tabs={program.versions.map(version => ({
        text: `${titleOf(version)}${version.state === 'DRAFT' ? `: ${changesOf(version)}` : ''}`,
        path: versionPath(program, version),
        current: version === shown,
      }))}
    />
  )
}

function Questions(props: {
  shown: VersionView
  compared: VersionView | undefined
  questions: readonly QuestionDocs[]
  path: string
}): VNode {
  const { shown, compared, questions, path } = props
  const { left_out } = shown
  const same = shown.questions.length - questions.length
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">{compared === undefined ? 'Questions' : 'Changed questions'}</h2>
      {compared === undefined ? (
        <p>
          Exports include every question the program has ever had, even if unanswered. These are all questions as of{' '}
          {shown.version_number === null ? 'the draft' : `version ${shown.version_number}`}.
        </p>
      ) : (
        <p>
          {same === 0
            ? 'Every question changes.'
            : `${counted(same, 'question')} ${same === 1 ? 'is' : 'are'} unchanged and shown with the `}
          {same > 0 && <a href={`${path}#questions`}>active version</a>}
          {same > 0 && '.'}
        </p>
      )}
      {(left_out.questions > 0 || left_out.options > 0) && (
        <Notice name="cut" tone="info">
          The program is too large to show in full. Its export has {counted(left_out.questions, 'more question')} and{' '}
          {counted(left_out.options, 'more option ID')} that the list and the example leave out. The JSON Schema accepts
          them.
        </Notice>
      )}
      {(compared === undefined || questions.length > 0) && (
        <QuestionList
          questions={questions}
          current={shown.version_number ?? (shown.changed_since_number ?? 0) + 1}
          since={Math.min(...shown.questions.map(({ first_version }) => first_version))}
          example={shown.example}
        />
      )}
    </section>
  )
}

/** `whole`: whether the page describes the field `status`, which lists the statuses. */
function Downloads(props: { program: ProgramView; version: VersionView; whole: boolean }): VNode {
  const { program, version, whole } = props
  const { statuses } = version
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">Downloads</h2>
      <ul class="prose">
        <li>
          <a href={version.response_schema_url}>JSON Schema</a> of export pages, for validators and code generators
        </li>
        <li>
          <a href={version.openapi_url}>OpenAPI 3.1</a> document of the export, including the example
        </li>
        {program.code_samples.map(sample => (
          <li>
            <a href={sample.url}>{sample.file_name}</a>: {sample.label}
          </li>
        ))}
      </ul>
      <p>
        {!whole && <>Statuses of this version: {statuses.length === 0 ? 'none' : statuses.join(', ')}. </>}To check your
        key, request <code>GET {program.check_auth_url}</code>.
      </p>
    </section>
  )
}

/** Tabs with code: the first page with curl, and all pages in each language. */
function Code({ username, keyName, program }: Omit<DocumentedPageProps, 'shown'>): VNode {
  const user = username ?? '$TRIBUTARY_USERNAME'
  const first = `curl --compressed \\\n  -u "${user}:$TRIBUTARY_PASSWORD" \\\n  '${program.export_url}?pageSize=500'`
  const mayCreateKey = usePage().person?.role === 'ADMINISTRATOR'
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
                  ))}{' '}
                {mayCreateKey && <a href="/admin/keys/new">Create a key</a>}
              </>
            ),
            code: first,
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
        . Without writing code, run <code>{pullCommand(program)}</code>, which also resumes after interruptions and
        writes CSV or Parquet if the file name ends in .csv or .parquet.
      </p>
    </>
  )
}

function Example(props: { shown: VersionView; marks: ReadonlyMap<string, JsonMark>; changed: number }): VNode {
  const { shown, marks, changed } = props
  return (
    <>
      <h2 id="example">Example response</h2>
      <p>
        Two sample applications: one with every question answered and one with none. Very long lists and texts are
        shortened.
        {changed > 0 && ' Changes in the draft are highlighted.'}
      </p>
      <Panel id="example-json" title={`Example page: ${titleOf(shown).toLowerCase()}`} tall>
        <JsonTree value={shown.example} id="example-json" marks={marks} />
      </Panel>
    </>
  )
}

/** Command that exports the program without a client of your own. */
const pullCommand = ({ export_url, slug }: ProgramView): string =>
  `tributary pull ${export_url.replace(/\/api\/v1\/.*$/, '')} --program ${slug} --out ${slug}.ndjson`

function findGroups(program: ProgramView, shown: VersionView, questions: readonly QuestionDocs[]): FindGroup[] {
  const draft = program.versions.find(version => version.state === 'DRAFT')
  const whole = shown.state === 'ACTIVE' || program.versions.length === 1
  return [
    {
      title: 'Export',
      entries: [
        ...(whole ? guideEntries : []),
        { text: 'Code samples', href: '#samples' },
        { text: 'Example response', href: '#example' },
        ...(whole ? [{ text: 'Metadata fields', href: '#metadata' }] : []),
      ],
    },
    ...findQuestions(questions, program.display_name),
    {
      title: 'Changes',
      entries: [
        {
          text: shown.changed_since === null ? 'First version' : `${titleOf(shown)} since ${shown.changed_since}`,
          href: '#changes',
        },
        ...program.versions
          .filter(version => version !== shown)
          .map(version => ({
            text: version === draft ? `Draft: ${changesOf(version)}` : titleOf(version),
            href: versionPath(program, version),
          })),
      ],
    },
    {
      title: 'Downloads',
      entries: [
        { text: 'JSON Schema', href: shown.response_schema_url },
        { text: 'OpenAPI 3.1', href: shown.openapi_url },
        { text: 'All downloads', href: '#downloads' },
      ],
    },
  ]
}
