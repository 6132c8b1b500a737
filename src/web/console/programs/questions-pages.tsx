// The questions of a program, screen by screen, with what the draft changes.

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
import { Badge, counted, DoneNotice, LinkButton, Notice } from '../../html/components.tsx'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { Icon } from '../../html/icon.tsx'
import { SearchForm } from '../../html/lists.tsx'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { type EditRefusal, RefusalNotice } from './edit-refusals.tsx'
import { isOvertaken, type ProgramInView } from './program-in-view.ts'
import { ProgramShell, pathOfProgram } from './program-shell.tsx'
import { kindLabel } from './question-labels.ts'

interface QuestionsProps {
  view: ProgramInView
  refused?: EditRefusal
}

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Kept in the draft. Nothing changes for applicants until it is published.',
  removed: 'Removed from the draft. It stays in the exports of what was submitted.',
  same: 'There was nothing to keep: this is what is stored already.',
  begun: 'The program is here, as a draft. Add its questions, then publish it.',
  nodraft: 'There is no draft any more: it was published or discarded.',
  taken: 'The draft now asks what that version asked. It is published when you say so.',
}

const begunWithQuestions = 'The program is here, as a draft with its questions. Look through them, then publish it.'

/** What the forms in the list carry; undefined for those who only read. */
interface Editing {
  path: string
  basis: string
}

export function QuestionsPage({ view, refused }: QuestionsProps) {
  const context = usePage()
  const { program, draft, current, changes } = view
  const path = pathOfProgram(program.slug)
  const search = (context.query.get('q') ?? '').slice(0, 800)
  const definition = describeVersion(current)
  const editing: Editing | undefined = mayEditPrograms(context)
    ? { path, basis: String(current.program_version_id) }
    : undefined
  return (
    <ProgramShell
      program={program}
      tab="questions"
      changes={draft === undefined ? undefined : changes.length}
      actions={
        <>
          <LinkButton href={`${path}/versions/${current.program_version_id}/preview`} text="Preview" />
          {mayEditPrograms(context) && <Actions path={path} draft={draft !== undefined} />}
        </>
      }
    >
      {isOvertaken(view) && (
        <Notice name="overtaken" tone="attention">
          <strong>Version {view.active?.version_number} was published after this draft was begun.</strong> Compared with
          it, the draft also takes back what that version changed. Review it, and keep or discard it.
        </Notice>
      )}
      {refused !== undefined && <RefusalNotice {...refused} />}
      <DoneNotice texts={definition.questions.length === 0 ? doneTexts : { ...doneTexts, begun: begunWithQuestions }} />
      <SearchForm
        path={`/admin/programs/${program.slug}/questions`}
        label="Find a question"
        hint="Find a question or key"
      />
      {draft !== undefined && view.active !== undefined && changes.length > 0 && (
        <p>
          <a href={`${path}/versions/compare`}>What the draft changes: {counted(changes.length, 'change')}</a>
        </p>
      )}
      <Screens definition={definition} view={view} search={search} editing={editing} />
      {editing !== undefined && (
        <div class="card narrow">
          <ActionForm action={`${path}/screens`}>
            <input type="hidden" name="based_on" value={editing.basis} />
            <input type="hidden" name="action" value="add" />
            <label for="screen_name">Another screen</label>
            <input id="screen_name" name="screen_name" placeholder="Its heading" maxLength={200} />
            <Submit look="plain" icon="plus" text="Add a screen" />
          </ActionForm>
        </div>
      )}
    </ProgramShell>
  )
}

function Actions({ path, draft }: { path: string; draft: boolean }) {
  return (
    <>
      <LinkButton href={`${path}/document`} icon="file-text" text="As a document" />
      {draft && (
        <>
          <LinkButton href={`${path}/discard`} text="Discard draft" />
          <LinkButton main href={`${path}/publish`} text="Review and publish…" />
        </>
      )}
    </>
  )
}

/** From this many questions on, screens fold. */
const unfoldedMax = 60

function Screens(props: {
  definition: ProgramDefinition
  view: ProgramInView
  search: string
  editing: Editing | undefined
}) {
  const { definition, view, search, editing } = props
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
  if (screens.length === 0) return <div class="card empty">No question here matches. Try another word.</div>
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
                place={`${index}-${screen.questions.indexOf(placement)}`}
                question={questions.get(placement.question)!}
                depth={depthOf(placement.question, questions)}
                mark={marks.get(placement.question)}
                text={text}
                editing={editing}
              />
            ))}
          </ol>
          {editing !== undefined && <AddHere path={editing.path} index={index} name={screen.name} />}
          {editing !== undefined && <ScreenForm editing={editing} index={index} name={screen.name} />}
        </details>
      ))}
    </>
  )
}

const AddHere = ({ path, index, name }: { path: string; index: number; name: string }) => (
  <div class="actions add-here">
    <LinkButton
      href={`${path}/add-question?screen=${index}`}
      icon="plus"
      text="Add here"
      unseen={` a question, on ${name}`}
    />
    <LinkButton href={`${path}/add-from-bank?screen=${index}`} text="From the question bank" unseen={`, on ${name}`} />
  </div>
)

type Mark = 'new' | 'changed'

/** What the draft makes of each question; nothing of a program that never asked any. */
function marksOf({ active, changes }: ProgramInView): Map<string, Mark> {
  if (active === undefined) return new Map()
  const marks = new Map<string, Mark>(changes.map(({ subject }) => [subject, 'changed']))
  for (const { code, subject } of changes) if (code === 'question_added') marks.set(subject, 'new')
  return marks
}

/** Enumerators around a question. */
function depthOf(name: string, questions: ReadonlyMap<string, QuestionDefinition>): number {
  let depth = 0
  for (let at = questions.get(name)?.enumerator; at !== undefined; at = questions.get(at)?.enumerator) depth++
  return depth
}

function ScreenForm({ editing, index, name }: { editing: Editing; index: number; name: string }) {
  const { path, basis } = editing
  return (
    <details class="screen-form">
      <summary>
        Change this screen<span class="unseen">, {name}</span>
      </summary>
      <ActionForm action={`${path}/screens`}>
        <input type="hidden" name="based_on" value={basis} />
        <input type="hidden" name="index" value={String(index)} />
        <label for={`screen-name-${index}`}>Heading</label>
        <input id={`screen-name-${index}`} name="screen_name" value={name} maxLength={200} />
        <div class="actions">
          <Submit name="action" value="rename" text="Rename" />
          <LinkButton href={`${path}/screen?index=${index}`} text="When it is shown…" />
          <Submit look="plain" name="action" value="up" icon="arrow-up" text="Earlier" />
          <Submit look="plain" name="action" value="down" icon="arrow-down" text="Later" />
          <Submit look="danger" name="action" value="remove" text="Remove it with its questions" />
        </div>
      </ActionForm>
    </details>
  )
}

interface RowProps {
  placement: PlacementDefinition
  /** Where it is among all, for the address of its buttons. */
  place: string
  question: QuestionDefinition
  depth: number
  mark: Mark | undefined
  /** A condition in the words of the questions. */
  text: (condition: NamedCondition) => string
  editing: Editing | undefined
}

function Row(props: RowProps) {
  const { placement, place, question, depth, mark, text, editing } = props
  return (
    <li class={`depth-${Math.min(depth, 4)}${mark === undefined ? '' : ' changed'}`}>
      <div>
        {editing === undefined ? (
          <span class="strong" dir="auto">
            {question.text}
          </span>
        ) : (
          <a
            class="strong"
            dir="auto"
            href={`${editing.path}/question?name=${encodeURIComponent(question.admin_name)}`}
          >
            {question.text}
          </a>
        )}{' '}
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
      {editing !== undefined && (
        <ActionForm action={`${editing.path}/question/move`}>
          <input type="hidden" name="based_on" value={editing.basis} />
          <input type="hidden" name="name" value={question.admin_name} />
          <div class="moves">
            {(['up', 'down'] as const).map(to => (
              <button
                type="submit"
                class="quiet"
                id={`${to}-${place}`}
                name="to"
                value={to}
                aria-label={`Move ${question.text} ${to}`}
              >
                <Icon name={`arrow-${to}`} />
              </button>
            ))}
          </div>
        </ActionForm>
      )}
    </li>
  )
}

function Facts({ placement, question, text }: Pick<RowProps, 'placement' | 'question' | 'text'>) {
  const { options } = question
  return (
    <>
      {placement.optional && <span>optional</span>}
      {question.enumerator !== undefined && <span>in each of {question.enumerator}</span>}
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
