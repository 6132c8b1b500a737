// Lists the questions of an export: key, paths of the answer's fields, and option IDs with their versions.
// In long programs, screens and questions are folded and open when a link leads to them.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { OptionDocs, OptionRun } from '../../domain/samples/option-docs.ts'
import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import { Badge, counted } from '../html/components.tsx'
import type { FindEntry, FindGroup } from './components/find-list.tsx'
import { HistoryFold } from './components/history-fold.tsx'
import { type JsonMark, valueAt } from './components/json-tree.tsx'
import { Quoting, useTextLanguage } from './components/text-language.tsx'

/** Number of questions above which a program is long. */
const longFrom = 40
/** The first screen of a long program is open if it has at most this many questions. */
const openedMax = 20

interface ScreenGroup {
  /** Null for questions that are no longer asked. */
  name: string | null
  questions: QuestionDocs[]
}

/** Top-level questions by screen, in order, each with its repeated questions. */
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

/** A unique, readable anchor: the path without its common parts. */
export const anchorOf = ({ path }: Pick<QuestionDocs, 'path'>): string =>
  `q-${path.replace('application.', '').replaceAll('.entities[<index>]', '')}`

const screenAnchor = (index: number): string => `screen-${index + 1}`

/** Path of a question in the example: in the first application, within first entities. */
const examplePath = ({ path }: Pick<QuestionDocs, 'path'>): string => `payload[<index>].${path}`

const exampleAnchor = (question: QuestionDocs): string => `in-example-${anchorOf(question)}`

/** Marks for the questions in an example, of which the page describes `described`. */
export const exampleMarks = (
  questions: readonly QuestionDocs[],
  described: readonly QuestionDocs[],
): Map<string, JsonMark> => {
  const onPage = new Set(described)
  return new Map(
    questions.map(question => [
      examplePath(question),
      {
        id: exampleAnchor(question),
        ...(onPage.has(question) && { href: `#${anchorOf(question)}`, isNew: described !== questions }),
      },
    ]),
  )
}

/** Navigation entries of the questions by screen, nested like the questions: their texts in this language, found by their keys too. */
export const findQuestions = (questions: readonly QuestionDocs[], lang: string): FindGroup[] =>
  byScreen(questions).map(({ name, questions }, i) => ({
    title: name ?? notAsked,
    ...(name !== null && { lang }),
    href: `#${screenAnchor(i)}`,
    entries: nested(questions, lang),
  }))

function nested(questions: readonly QuestionDocs[], lang: string): FindEntry[] {
  const top: FindEntry[] = []
  const open: { entry: FindEntry & { within: FindEntry[] }; depth: number }[] = []
  for (const question of questions) {
    const entry = {
      text: question.text,
      lang,
      href: `#${anchorOf(question)}`,
      about: question.question_key,
      within: [],
    }
    while (open.length > 0 && open.at(-1)!.depth >= question.depth) open.pop()
    const into = open.at(-1)?.entry.within ?? top
    into.push(entry)
    open.push({ entry, depth: question.depth })
  }
  return top
}

const notAsked = 'No longer asked'

export function QuestionList(props: {
  questions: readonly QuestionDocs[]
  /** Number of the version shown; for a draft, the number it will get. */
  current: number
  /** First version of the program. */
  since: number
  /** Example page shown beside the questions. */
  example: unknown
}): VNode {
  const { questions, current, since, example } = props
  const inText = useTextLanguage()
  if (questions.length === 0) return <p>This program has never had a question that can be answered.</p>
  const long = questions.length > longFrom
  return (
    <div class="questions">
      {byScreen(questions).map(({ name, questions }, i) => {
        const list = questions.map(question => (
          <Question question={question} current={current} since={since} example={example} open={!long} />
        ))
        const title = (
          <h3 id={screenAnchor(i)} {...(name !== null && inText)}>
            {name ?? notAsked}
          </h3>
        )
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
  /** Number of the version shown; for a draft, the number it will get. */
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
        <span class="asked" {...useTextLanguage()}>
          {text}
        </span>{' '}
        <code class="key">{question_key}</code> <Badge>{question_type}</Badge>
        {optional && <span class="soft"> optional</span>}
        {!asked && (
          <>
            {' '}
            <Badge tone="attention">no longer asked</Badge>
          </>
        )}
      </summary>
      {/* Link targets are inside the fold, so that browsers open it. */}
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
        <HistoryFold question={question} />
        <p class="links">
          <a href={`#${anchor}`} aria-label={`Link to this question, ${question_key}`}>
            Link to this question
          </a>
          {valueAt(example, examplePath(question)) !== undefined && (
            <a href={`#${exampleAnchor(question)}`} aria-label={`Show in example, ${question_key}`}>
              Show in example
            </a>
          )}
        </p>
      </div>
    </details>
  )
}

/** When the question is asked, the rules for new answers, and what an empty value means. */
function Meaning({ question, since }: Pick<QuestionProps, 'question' | 'since'>): VNode {
  const { asked_when, bounds, fields, first_version, asked } = question
  const empties = [
    fields.some(({ type }) => type.includes('null')) ? 'null' : undefined,
    fields.some(({ type }) => type.startsWith('array')) ? '[]' : undefined,
  ].filter(empty => empty !== undefined)
  const reasons = [
    'the question was not answered',
    ...(asked_when.length > 0 ? ['was not asked'] : []),
    ...(first_version > since ? [`the application predates version ${first_version}`] : []),
    ...(asked ? [] : ['the application is newer than the last version with this question']),
  ]
  return (
    <p class="meaning">
      {asked_when.length > 0 && (
        <>
          Asked only when <Quoting sentence={asked_when.join(', and ')} />.{' '}
        </>
      )}
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
  const inText = useTextLanguage()
  if (earlier.length > 0)
    return (
      <li>
        <code>{id}</code>
        <ul>
          {earlier.map(run => (
            <li>
              <span class="soft" {...inText}>
                {run.text}
              </span>{' '}
              <Badge tone="attention">{runText(run, retired, props.current)}</Badge>
            </li>
          ))}
        </ul>
      </li>
    )
  const [first, last] = versions
  // Options as old as the question need no badge.
  const later = props.earliest < first
  return (
    <li>
      <code>{id}</code>{' '}
      <span class="soft" {...inText}>
        {text}
      </span>
      {retired && <Badge tone="attention">{later ? `versions ${first} to ${last}` : `until version ${last}`}</Badge>}
      {!retired && later && <Badge tone="good">{first === props.current ? 'new' : `since version ${first}`}</Badge>}
    </li>
  )
}

function runText({ versions: [first, last] }: OptionRun, retired: boolean, current: number): string {
  if (last === current && !retired) return `since version ${first}`
  return first === last ? `version ${first}` : `versions ${first} to ${last}`
}

/** A path that can wrap before each dot and is still copied as one text. */
function breakable(path: string): (string | VNode)[] {
  return path.split(/(?=\.)/).flatMap((step, i) => (i === 0 ? [step] : [<wbr />, step]))
}
