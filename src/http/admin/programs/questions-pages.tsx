// The questions of a program, screen by screen, with what the draft changes.

/** @jsxImportSource preact */

import { conditionWords } from '../../../domain/definitions/condition-words.ts'
import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import { describeVersion } from '../../../domain/definitions/version-definition.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { Icon } from '../../shell/icon.tsx'
import { Badge, Notice } from '../../shell/parts.tsx'
import { isOvertaken, type ProgramInView } from './program-in-view.ts'
import { Changes, counted, type ProgramPageProps, ProgramShell, pathOfProgram } from './program-shell.tsx'
import { SearchForm } from './programs-pages.tsx'

export interface QuestionsProps extends ProgramPageProps {
  view: ProgramInView
  search: string
  done: string | null
}

/** As people say it: SINGLE_SELECT is an export's word. */
export const kindWords = (kind: string): string => kind.replaceAll('_', ' ').toLowerCase()

const said: Readonly<Record<string, string>> = {
  saved: 'Kept in the draft. Nothing changes for applicants until it is published.',
  same: 'There was nothing to keep: this is what is stored already.',
  begun: 'The program is here, as a draft. Add its questions, then publish it.',
  nodraft: 'There is no draft any more: somebody published or discarded it.',
  taken: 'The draft now asks what that version asked. It is published when you say so.',
}

export function QuestionsPage(props: QuestionsProps) {
  const { context, view, search } = props
  const { draft, current, changes } = view
  const path = pathOfProgram(context, view.program.slug)
  const definition = describeVersion(current)
  return (
    <ProgramShell
      {...props}
      tab="questions"
      changes={draft === undefined ? undefined : changes.length}
      deeds={context.person?.role === 'ADMINISTRATOR' && <Deeds path={path} draft={draft !== undefined} />}
    >
      {isOvertaken(view) && (
        <Notice tone="attention">
          <strong>Version {view.active?.program_version_id} was published after this draft was begun.</strong> Compared
          with it, the draft also takes back what that version changed. Review it, and keep or discard it.
        </Notice>
      )}
      {said[props.done ?? ''] !== undefined && <Notice tone="good">{said[props.done ?? '']}</Notice>}
      <SearchForm path={`${path}/questions`} search={search} label="Find a question" hint="Find a question or key" />
      {draft !== undefined && changes.length > 0 && (
        <details class="card">
          <summary>What the draft changes: {counted(changes.length, 'change')}</summary>
          <Changes changes={changes} />
        </details>
      )}
      <Screens definition={definition} view={view} search={search} />
    </ProgramShell>
  )
}

function Deeds({ path, draft }: { path: string; draft: boolean }) {
  return (
    <>
      <a class="button plain" href={`${path}/document`}>
        <Icon name="file-text" />
        As a document
      </a>
      {draft && (
        <>
          <a class="button plain" href={`${path}/discard`}>
            Discard draft
          </a>
          <a class="button" href={`${path}/publish`}>
            Review and publish…
          </a>
        </>
      )}
    </>
  )
}

/** From this many questions on, screens fold. */
const unfoldedMax = 60

function Screens(props: { definition: ProgramDefinition; view: ProgramInView; search: string }) {
  const { definition, view, search } = props
  const questions = new Map(definition.questions.map(question => [question.admin_name, question]))
  const changed = new Set(view.changes.map(({ subject }) => subject))
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
            <h2>
              {index + 1} · {screen.name}
            </h2>
            <span class="soft">{counted(placed.length, 'question')}</span>
          </summary>
          {screen.visible_when != null && <p class="soft">shown when {conditionWords(screen.visible_when)}</p>}
          <ol class="asked">
            {placed.map(placement => (
              <Row
                placement={placement}
                question={questions.get(placement.question)!}
                depth={depthOf(placement.question, questions)}
                changed={changed.has(placement.question)}
              />
            ))}
          </ol>
        </details>
      ))}
    </>
  )
}

/** Enumerators around a question. */
function depthOf(name: string, questions: ReadonlyMap<string, QuestionDefinition>): number {
  let depth = 0
  for (let at = questions.get(name)?.enumerator; at !== undefined; at = questions.get(at)?.enumerator) depth++
  return depth
}

function Row(props: { placement: PlacementDefinition; question: QuestionDefinition; depth: number; changed: boolean }) {
  const { placement, question, depth, changed } = props
  return (
    <li class={`depth-${Math.min(depth, 4)}${changed ? ' changed' : ''}`}>
      <div>
        <span class="strong">{question.text}</span> {changed && <Badge tone="attention">changed</Badge>}
        <small>
          <code>{question.kind === 'STATIC' ? question.admin_name : questionKey(question.admin_name)}</code>
        </small>
      </div>
      <div>
        <span class="kind">{kindWords(question.kind)}</span>
      </div>
      <div class="facts">
        <Facts placement={placement} question={question} />
      </div>
    </li>
  )
}

function Facts({ placement, question }: { placement: PlacementDefinition; question: QuestionDefinition }) {
  const { options } = question
  return (
    <>
      {placement.optional && <span>optional</span>}
      {question.enumerator !== undefined && <span>in each of {question.enumerator}</span>}
      {placement.visible_when != null && <span>when {conditionWords(placement.visible_when)}</span>}
      {boundWords(question) !== '' && <span>{boundWords(question)}</span>}
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

/** `at least 1, at most 12`, of whatever is bounded. */
export function boundWords(question: QuestionDefinition): string {
  const { min, max, min_length, max_length, min_count, max_count } = question
  const range = (least: number | undefined, most: number | undefined, what: string): string =>
    [least === undefined ? '' : `at least ${least}`, most === undefined ? '' : `at most ${most}`]
      .filter(Boolean)
      .join(', ')
      .concat(least === undefined && most === undefined ? '' : what)
  return [range(min, max, ''), range(min_length, max_length, ' characters'), range(min_count, max_count, '')]
    .filter(Boolean)
    .join('; ')
}
