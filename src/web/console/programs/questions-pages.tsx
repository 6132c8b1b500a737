// The questions of a program, screen by screen, with the draft's changes.

/** @jsxImportSource preact */

import { askedByName, conditionText } from '../../../domain/definitions/condition-text.ts'
import type {
  NamedCondition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { boundsText } from '../../../domain/readable/question-bounds.ts'
import { kindLabel } from '../../../domain/readable/question-labels.ts'
import { Badge, counted, DoneNotice, LinkButton, Notice } from '../../html/components.tsx'
import { SearchForm } from '../../html/lists.tsx'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { isOvertaken, type ProgramInView } from './program-in-view.ts'
import { ProgramShell, pathOfProgram, previewPath } from './program-shell.tsx'

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Draft saved. Applicants see the changes once you publish it.',
  removed: 'Removed from the draft. Exports of submitted applications still contain it.',
  same: 'No changes to save.',
  begun: 'Draft created. Add questions, then publish it.',
  nodraft: 'The draft no longer exists. It was published or discarded.',
  taken: 'Draft restored from the earlier version. Publish it when you’re ready.',
}

const begunWithQuestions = 'Draft created with questions. Review them, then publish it.'

export function QuestionsPage({ view }: { view: ProgramInView }) {
  const context = usePage()
  const { program, draft, current, changes } = view
  const path = pathOfProgram(program.slug)
  const search = (context.query.get('q') ?? '').slice(0, 800)
  const definition = describeVersion(current)
  return (
    <ProgramShell
      program={program}
      tab="questions"
      changes={draft === undefined ? undefined : changes.length}
      actions={
        <>
          <LinkButton href={previewPath(program.slug, current)} text="Preview" />
          {mayEditPrograms(context) && <Actions path={path} draft={draft !== undefined} />}
        </>
      }
    >
      {isOvertaken(view) && (
        <Notice name="overtaken" tone="attention">
          <strong>Version {view.active?.version_number} was published after this draft was started.</strong> Publishing
          the draft would undo that version’s changes. Review the draft, then keep or discard it.
        </Notice>
      )}
      <DoneNotice texts={definition.questions.length === 0 ? doneTexts : { ...doneTexts, begun: begunWithQuestions }} />
      <SearchForm
        path={`/admin/programs/${program.slug}/questions`}
        label="Find a question"
        hint="Find a question or key"
      />
      {draft !== undefined && view.active !== undefined && changes.length > 0 && (
        <p>
          <a href={`${path}/versions/compare`}>{counted(changes.length, 'change')} in the draft</a>
        </p>
      )}
      <Screens definition={definition} view={view} search={search} />
    </ProgramShell>
  )
}

function Actions({ path, draft }: { path: string; draft: boolean }) {
  return (
    <>
      <LinkButton href={`${path}/document`} icon="file-text" text="Edit as document" />
      <LinkButton href={`${path}/translations`} text="Translations" />
      {draft && (
        <>
          <LinkButton href={`${path}/discard`} text="Discard draft" />
          <LinkButton href={`${path}/publish`} text="Review and publish…" />
        </>
      )}
      <LinkButton main href={`${path}/edit`} text="Edit" />
    </>
  )
}

/** From this many questions on, screens are folded. */
const unfoldedMax = 60

function Screens(props: { definition: ProgramDefinition; view: ProgramInView; search: string }) {
  const { definition, view, search } = props
  const questions = new Map(definition.questions.map(question => [question.admin_name, question]))
  const marks = marksOf(view)
  const text = (condition: NamedCondition) => conditionText(condition, askedByName(definition.questions))
  const folded = search.normalize().toLowerCase()
  const matches = ({ question: name }: PlacementDefinition): boolean =>
    [name, questionKey(name), questions.get(name)!.text].some(text => text.normalize().toLowerCase().includes(folded))
  const screens = definition.screens
    .map((screen, index) => ({
      screen,
      index,
      placed: search === '' ? screen.questions : screen.questions.filter(matches),
    }))
    .filter(({ placed }) => search === '' || placed.length > 0)
  if (screens.length === 0) return <div class="card empty">No questions match. Try another word.</div>
  const open = search !== '' || definition.questions.length <= unfoldedMax
  return (
    <>
      {screens.map(({ screen, index, placed }) => (
        <details class="card screen" open={open} id={`screen-${index}`}>
          <summary>
            <h2 dir="auto">
              {index + 1} · {screen.name}
            </h2>
            <span class="soft">{counted(placed.length, 'question')}</span>
          </summary>
          {screen.visible_when != null && <p class="soft">shown when {text(screen.visible_when)}</p>}
          <ol class="asked">
            {placed.map(placement => (
              <Row
                placement={placement}
                question={questions.get(placement.question)!}
                depth={depthOf(placement.question, questions)}
                mark={marks.get(placement.question)}
                text={text}
              />
            ))}
          </ol>
        </details>
      ))}
    </>
  )
}

type Mark = 'new' | 'changed'

/** How the draft changes each question; empty for a program that never had any. */
function marksOf({ active, changes }: ProgramInView): Map<string, Mark> {
  if (active === undefined) return new Map()
  const marks = new Map<string, Mark>(changes.map(({ subject }) => [subject, 'changed']))
  for (const { code, subject } of changes) if (code === 'question_added') marks.set(subject, 'new')
  return marks
}

/** Enumerators that contain a question. */
function depthOf(name: string, questions: ReadonlyMap<string, QuestionDefinition>): number {
  let depth = 0
  for (let at = questions.get(name)?.enumerator; at !== undefined; at = questions.get(at)?.enumerator) depth++
  return depth
}

interface RowProps {
  placement: PlacementDefinition
  question: QuestionDefinition
  depth: number
  mark: Mark | undefined
  /** A condition in words, with the texts of its questions. */
  text: (condition: NamedCondition) => string
}

function Row(props: RowProps) {
  const { placement, question, depth, mark, text } = props
  return (
    <li class={`depth-${Math.min(depth, 4)}${mark === undefined ? '' : ' changed'}`}>
      <div>
        <span class="strong" dir="auto">
          {question.text}
        </span>{' '}
        {mark !== undefined && <Badge tone={mark === 'new' ? 'good' : 'attention'}>{mark}</Badge>}
        <small>
          <code>{question.kind === 'STATIC' ? question.admin_name : questionKey(question.admin_name)}</code>
        </small>
      </div>
      <div>
        <span class="kind">{kindLabel(question.kind)}</span>
      </div>
      <div class="facts">
        <Facts placement={placement} question={question} text={text} />
      </div>
    </li>
  )
}

function Facts({ placement, question, text }: Pick<RowProps, 'placement' | 'question' | 'text'>) {
  const { options } = question
  return (
    <>
      {placement.optional && <span>optional</span>}
      {question.enumerator !== undefined && <span>for each entry in “{question.enumerator}”</span>}
      {placement.visible_when != null && <span>when {text(placement.visible_when)}</span>}
      {boundsText(question) !== '' && <span>{boundsText(question)}</span>}
      {options !== undefined && (
        <details>
          <summary>
            {counted(options.length, 'option')}
            <span class="unseen"> of {question.text}</span>
          </summary>
          <ul class="options">
            {options.map(({ admin_id, text }) => (
              <li>
                {text} <code>{admin_id}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
