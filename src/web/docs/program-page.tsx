// The docs page of a program version, in three columns: navigation, explanations, and examples to copy. The page of a draft shows its changes
// and links to the active version for the rest.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import { counted, Notice, Tabs } from '../html/components.tsx'
import { ThreeColumns } from '../html/shell.tsx'
import { FindList } from './components/find-list.tsx'
import { Instant } from './components/instant.tsx'
import { MarkdownLinks } from './components/markdown-links.tsx'
import { LanguageMenu, languageQuery, ProgramName, TextLanguage } from './components/text-language.tsx'
import { Code, Example, firstRun } from './copy-column.tsx'
import { Errors } from './guide/error-table.tsx'
import { FirstRequest, GetKey, type Reader } from './guide/get-started.tsx'
import { guideEntries, MetadataFields, metadataMarks, PullingGuide } from './guide/pulling-guide.tsx'
import { Submitting } from './guide/submitting.tsx'
import { errorsEntry, findGroups, reference } from './page-entries.ts'
import { Changes, changedQuestions, changesOf } from './program-changes.tsx'
import {
  docsPath,
  numberOf,
  type ProgramView,
  questionsPath,
  titleOf,
  type VersionView,
  versionName,
  versionPath,
} from './program-view.ts'
import { exampleMarks, QuestionList } from './question-list.tsx'

export interface DocumentedPageProps {
  reader: Reader
  program: ProgramView
  /** The version shown; undefined if the program has none. */
  shown: VersionView | undefined
}

export function ProgramPage({ reader, program, shown }: DocumentedPageProps): VNode {
  if (shown === undefined) return <PageWithoutVersion reader={reader} program={program} />
  const active = program.versions.find(version => version.state === 'ACTIVE')
  return (
    <TextLanguage value={shown}>
      {shown.state === 'DRAFT' && active !== undefined ? (
        <DraftPage program={program} shown={shown} active={active} />
      ) : (
        <VersionPage reader={reader} program={program} shown={shown} />
      )}
    </TextLanguage>
  )
}

const frameOf = (program: ProgramView, shown?: VersionView) => ({
  title: `Documentation · ${program.display_name}${shown === undefined || shown.state === 'ACTIVE' ? '' : ` · ${titleOf(shown)}`}`,
  heading: <ProgramName program={program} />,
  part: 'documentation' as const,
  crumbs: [
    { text: 'Documentation', path: '/docs/api/programs' },
    { text: program.display_name, lang: program.versions[0]?.language },
  ],
  styles: ['/assets/docs.css'],
  actions:
    shown === undefined ? (
      <MarkdownLinks path={pathOf(program)} />
    ) : (
      <MarkdownLinks path={versionPath(program, shown)} query={languageQuery(shown)} />
    ),
  scripts: ['/assets/find.js', '/assets/docs.js', '/assets/run.js'],
})

type Guided = Pick<DocumentedPageProps, 'reader' | 'program'>

const CodeOf = ({ reader, program }: Guided) => (
  <Code reader={reader} program={program} run={firstRun(reader, program)} />
)

const PageWithoutVersion = (guided: Guided): VNode => (
  <ThreeColumns
    {...frameOf(guided.program)}
    lead="This program has no active version and no draft, so its export is empty."
    find={
      <FindList
        what="a section"
        groups={[{ title: 'Getting started', entries: guideEntries }, reference([errorsEntry])]}
      />
    }
    first={<GetKey {...guided} />}
    copy={<CodeOf {...guided} />}
  >
    <FirstRequest program={guided.program} />
    <PullingGuide {...guided} />
    <Errors />
  </ThreeColumns>
)

/** The active version, or the draft of a program without one. */
function VersionPage({ shown, ...guided }: Guided & { shown: VersionView }): VNode {
  const { program } = guided
  const { questions } = shown
  const marks = new Map([...exampleMarks(questions, questions), ...metadataMarks(program.slug)])
  return (
    <ThreeColumns
      {...frameOf(program, shown)}
      lead={<Lead version={shown} intake={program.intake_state} />}
      find={<FindList what="a question" groups={findGroups(program, shown, questions, guided.reader.maySubmit)} />}
      first={
        <>
          <Menus program={program} shown={shown} />
          <GetKey {...guided} />
        </>
      }
      copy={
        <>
          <CodeOf {...guided} />
          <Example shown={shown} title={titleOf(shown).toLowerCase()} marks={marks} changed={0} />
        </>
      }
    >
      <FailedAt version={shown} />
      <FirstRequest program={program} />
      <PullingGuide {...guided} />
      <Questions shown={shown} compared={undefined} questions={questions} path={pathOf(program)} />
      <MetadataFields slug={program.slug} statuses={shown.statuses} />
      <Errors />
      {shown.state === 'ACTIVE' && <Submitting {...guided} questions={questions} example={shown.example} />}
      <Changes version={shown} path={pathOf(program)} />
      <Downloads program={program} version={shown} whole />
    </ThreeColumns>
  )
}

/** A draft, as far as it differs from the active version. */
function DraftPage(props: { program: ProgramView; shown: VersionView; active: VersionView }): VNode {
  const { program, shown, active } = props
  const questions = changedQuestions(shown, active)
  const marks = exampleMarks(shown.questions, questions)
  return (
    <ThreeColumns
      {...frameOf(program, shown)}
      lead={<Lead version={shown} intake={program.intake_state} />}
      find={<FindList what="a question" groups={findGroups(program, shown, questions)} />}
      first={<Menus program={program} shown={shown} />}
      copy={<Example shown={shown} title={titleOf(shown).toLowerCase()} marks={marks} changed={questions.length} />}
    >
      <FailedAt version={shown} />
      <Changes version={shown} path={pathOf(program)} />
      <Questions shown={shown} compared={active} questions={questions} path={pathOf(program)} />
      <Downloads program={program} version={shown} whole={false} />
    </ThreeColumns>
  )
}

const FailedAt = ({ version: { regeneration_failed_at: at } }: { version: VersionView }) =>
  at === null ? null : (
    <Notice name="not-made-again" tone="attention">
      Regenerating the docs failed at <Instant at={at} />. This page shows the previous docs.
    </Notice>
  )

const pathOf = ({ slug }: ProgramView): string => docsPath(slug)

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

/** Menus for other versions and languages. */
const Menus = ({ program, shown }: { program: ProgramView; shown: VersionView }) => (
  <>
    <Versions program={program} shown={shown} />
    <LanguageMenu shown={shown} path={versionPath(program, shown)} />
  </>
)

/** Tabs for the active version and the draft. */
function Versions({ program, shown }: { program: ProgramView; shown: VersionView }): VNode | null {
  if (program.versions.length < 2) return null
  return (
    <Tabs
      label="Versions"
      tabs={program.versions.map(version => ({
        text: `${titleOf(version)}${version.state === 'DRAFT' ? `: ${changesOf(version)}` : ''}`,
        path: versionPath(program, version) + languageQuery(shown),
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
          {versionName(shown)}.
        </p>
      ) : (
        <p>
          {same === 0
            ? 'Every question changes.'
            : `${counted(same, 'question')} ${same === 1 ? 'is' : 'are'} unchanged and shown with the `}
          {same > 0 && <a href={`${path}${languageQuery(shown)}#questions`}>active version</a>}
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
          current={numberOf(shown)}
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
          <a href={questionsPath(program, version)}>Question table</a>, to print and comment on
        </li>
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
      {!whole && <p>Statuses of this version: {statuses.length === 0 ? 'none' : statuses.join(', ')}.</p>}
    </section>
  )
}
