// The questions of an export, one after another: key, paths of the answer's fields, option ids with the versions that had them.
// Of a long program they fold, by screen and by question, and open when a link leads to them.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { OptionDocs, OptionRun, QuestionDocs } from '../../domain/samples/version-docs.ts'
import { Badge, counted } from '../html/components.tsx'
import type { FindEntry, FindGroup } from './components/find-list.tsx'
import { type JsonMark, valueAt } from './components/json-tree.tsx'

/** From here on a program is long. */
const longFrom = 40
/** The first screen of a long program is open, unless it is long itself. */
const openedMax = 20

interface ScreenGroup {
  /** Null for questions that are not asked any more. */
  name: string | null
  questions: QuestionDocs[]
}

/** Top-level questions by the screen that asks them, in the order of the questions; each with what is repeated under it. */
function byScreen(questions: readonly QuestionDocs[]): ScreenGroup[] {
  const groups = new Map<string | null, QuestionDocs[]>()
  let current: string | null = null
  for (const question of questions) {
    if (question.depth === 0) current = question.asked ? question.screen : null
    groups.set(current, [...(groups.get(current) ?? []), question])
  }
  const gone = groups.get(null)
  groups.delete(null)
  if (gone !== undefined) groups.set(null, gone)
  return [...groups].map(([name, questions]) => ({ name, questions }))
}

/** A readable name of its own for each: its path without what all paths have. */
export const anchorOf = ({ path }: Pick<QuestionDocs, 'path'>): string =>
  `q-${path.replace('application.', '').replaceAll('.entities[<index>]', '')}`

const screenAnchor = (index: number): string => `screen-${index + 1}`

/** The place of a question in the example: within the first application, and there in first entities. */
const examplePath = ({ path }: Pick<QuestionDocs, 'path'>): string => `payload[<index>].${path}`

const exampleAnchor = (question: QuestionDocs): string => `in-example-${anchorOf(question)}`

/** Marks for the questions in an example; `isNew` chooses those to point out. */
export const exampleMarks = (
  questions: readonly QuestionDocs[],
  isNew: (question: QuestionDocs) => boolean,
): Map<string, JsonMark> =>
  new Map(questions.map(one => [examplePath(one), { id: exampleAnchor(one), isNew: isNew(one) }]))

/** What the list alongside the page says of the questions, as they lie in one another; of a long program, by screen. */
export function findQuestions(questions: readonly QuestionDocs[], title: string): FindGroup[] {
  const screens = byScreen(questions).map(({ name, questions }, i) => ({
    title: name ?? notAsked,
    href: `#${screenAnchor(i)}`,
    entries: nested(questions),
  }))
  return questions.length > longFrom ? screens : [{ title, entries: screens.flatMap(({ entries }) => entries) }]
}

function nested(questions: readonly QuestionDocs[]): FindEntry[] {
  const top: FindEntry[] = []
  const open: { entry: FindEntry & { within: FindEntry[] }; depth: number }[] = []
  for (const question of questions) {
    const entry = {
      text: question.question_key,
      href: `#${anchorOf(question)}`,
      about: question.text,
      name: true,
      within: [],
    }
    while (open.length > 0 && open.at(-1)!.depth >= question.depth) open.pop()
    const into = open.at(-1)?.entry.within ?? top
    into.push(entry)
    open.push({ entry, depth: question.depth })
  }
  return top
}

const notAsked = 'Not asked any more'

export function QuestionList(props: {
  questions: readonly QuestionDocs[]
  /** The number of the version shown; of a draft, the one it will get. */
  current: number
  /** The program's first version. */
  since: number
  /** The page of an export that is shown next to them. */
  example: unknown
}): VNode {
  const { questions, current, since, example } = props
  if (questions.length === 0) return <p>No question with an answer was ever in this program.</p>
  const long = questions.length > longFrom
  return (
    <div class="questions">
      {byScreen(questions).map(({ name, questions }, i) => {
        const list = questions.map(question => (
          <Question question={question} current={current} since={since} example={example} open={!long} />
        ))
        const title = <h3 id={screenAnchor(i)}>{name ?? notAsked}</h3>
        if (!long)
          return (
            <section>
              {title}
              {list}
            </section>
          )
        return (
          <details class="screen" open={i === 0 && questions.length <= openedMax}>
            <summary>
              {title} <span class="soft">{counted(questions.length, 'question')}</span>
            </summary>
            {list}
          </details>
        )
      })}
    </div>
  )
}

interface QuestionProps {
  question: QuestionDocs
  /** The number of the version shown; of a draft, the one it will get. */
  current: number
  since: number
  example: unknown
  open: boolean
}

function Question({ question, current, since, example, open }: QuestionProps): VNode {
  const { question_key, question_type, text, asked, depth, optional, options } = question
  const anchor = anchorOf(question)
  const earliest = options.reduce((least, { versions }) => Math.min(least, versions[0]), Number.POSITIVE_INFINITY)
  return (
    <details class={`question depth-${Math.min(depth, 4)}`} open={open}>
      <summary>
        <span class="asked" dir="auto">
          {text}
        </span>{' '}
        <code class="key">{question_key}</code> <Badge>{question_type}</Badge>
        {optional && <span class="soft"> optional</span>}
        {!asked && (
          <>
            {' '}
            <Badge tone="attention">not asked any more</Badge>
          </>
        )}
      </summary>
      {/* What links lead to lies within the fold, so that browsers open it. */}
      <div class="about" id={anchor} data-example={exampleAnchor(question)}>
        <Meaning question={question} since={since} />
        <Fields question={question} />
        {options.length > 0 && (
          <ul class="options">
            {options.map(option => (
              <Option option={option} earliest={earliest} current={current} />
            ))}
          </ul>
        )}
        <p class="links">
          <a href={`#${anchor}`} aria-label={`This question, ${question_key}`}>
            This question
          </a>
          {valueAt(example, examplePath(question)) !== undefined && (
            <a href={`#${exampleAnchor(question)}`} aria-label={`${question_key} in the example`}>
              In the example
            </a>
          )}
        </p>
      </div>
    </details>
  )
}

/** When the program asks it, the rules for its answers, and what an empty one says. */
function Meaning({ question, since }: Pick<QuestionProps, 'question' | 'since'>): VNode {
  const { asked_when, bounds, fields, first_version, asked } = question
  const empties = [
    fields.some(({ type }) => type.includes('null')) ? 'null' : undefined,
    fields.some(({ type }) => type.startsWith('array')) ? '[]' : undefined,
  ].filter(one => one !== undefined)
  const reasons = [
    'it was not answered',
    ...(asked_when.length > 0 ? ['it was not asked'] : []),
    ...(first_version > since ? [`the application is older than version ${first_version}`] : []),
    ...(asked ? [] : ['the application is newer than the last version that asked it']),
  ]
  return (
    <p class="meaning">
      {asked_when.length > 0 && <>Asked only when {asked_when.join(', and ')}. </>}
      {bounds !== '' && <>New answers: {bounds}. </>}
      {empties.map((empty, i) => (
        <>
          {i > 0 && ' or '}
          <code>{empty}</code>
        </>
      ))}{' '}
      when {new Intl.ListFormat('en', { type: 'disjunction' }).format(reasons)}.
    </p>
  )
}

function Fields({ question: { path, fields } }: Pick<QuestionProps, 'question'>): VNode {
  return (
    <>
      <code class="soft">{breakable(path)}</code>
      <ul class="fields">
        {fields.map(field => (
          <li>
            <code>
              <b>{breakable(field.path.slice(path.length))}</b>
            </code>{' '}
            <span class="soft">{field.type}</span>
            {field.about !== '' && <span class="soft what"> {field.about}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

function Option(props: { option: OptionDocs; earliest: number; current: number }): VNode {
  const { id, text, retired, versions, earlier } = props.option
  if (earlier.length > 0)
    return (
      <li>
        <code>{id}</code>
        <ul>
          {earlier.map(run => (
            <li>
              <span class="soft">{run.text}</span>{' '}
              <Badge tone="attention">{runText(run, retired, props.current)}</Badge>
            </li>
          ))}
        </ul>
      </li>
    )
  const [first, last] = versions
  // What was there from the question's beginning needs no word.
  const later = props.earliest < first
  return (
    <li>
      <code>{id}</code> <span class="soft">{text}</span>
      {retired && <Badge tone="attention">{later ? `versions ${first} to ${last}` : `until version ${last}`}</Badge>}
      {!retired && later && <Badge tone="good">{first === props.current ? 'new' : `since version ${first}`}</Badge>}
    </li>
  )
}

function runText({ versions: [first, last] }: OptionRun, retired: boolean, current: number): string {
  if (last === current && !retired) return `since version ${first}`
  return first === last ? `version ${first}` : `versions ${first} to ${last}`
}

/** May be broken before a dot, and copied whole. */
function breakable(path: string): (string | VNode)[] {
  return path.split(/(?=\.)/).flatMap((step, i) => (i === 0 ? [step] : [<wbr />, step]))
}
