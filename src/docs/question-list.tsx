// The questions of an export, one after another: key, paths of the answer's fields, option ids with the versions that had them.
// Of a long program they fold, by screen and by question, and open when a link leads to them.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { OptionDocs, QuestionDocs } from '../domain/samples/version-docs.ts'
import { Badge } from '../html/parts.tsx'
import type { FindEntry } from './parts/find-list.tsx'

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

/** What the list alongside the page says of the questions, as they lie in one another. */
export function findQuestions(questions: readonly QuestionDocs[]): FindEntry[] {
  const top: FindEntry[] = []
  const open: { entry: FindEntry & { within: FindEntry[] }; depth: number }[] = []
  for (const { questions: inOrder } of byScreen(questions))
    for (const question of inOrder) {
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

export function QuestionList(props: { questions: readonly QuestionDocs[]; versionId: number }): VNode {
  const { questions, versionId } = props
  if (questions.length === 0) return <p>No question with an answer was ever in this program.</p>
  const long = questions.length > longFrom
  return (
    <div class="questions">
      {byScreen(questions).map(({ name, questions }, i) => {
        const title = name ?? 'Not asked any more'
        const list = questions.map(question => <Question question={question} versionId={versionId} open={!long} />)
        if (!long)
          return (
            <section>
              <h3>{title}</h3>
              {list}
            </section>
          )
        return (
          <details class="screen" open={i === 0 && questions.length <= openedMax}>
            <summary>
              <h3>{title}</h3> <span class="soft">{counted(questions.length)}</span>
            </summary>
            {list}
          </details>
        )
      })}
    </div>
  )
}

const counted = (count: number): string => `${count} question${count === 1 ? '' : 's'}`

function Question(props: { question: QuestionDocs; versionId: number; open: boolean }): VNode {
  const { question, versionId, open } = props
  const { question_key, question_type, path, text, asked, depth, fields, options } = question
  return (
    <details class={`question depth-${Math.min(depth, 4)}`} open={open}>
      <summary>
        <code class="key">{question_key}</code> <Badge>{question_type}</Badge>
        {!asked && (
          <>
            {' '}
            <Badge tone="attention">not asked any more</Badge>
          </>
        )}
      </summary>
      {/* What links lead to lies within the fold, so that browsers open it. */}
      <div class="about" id={anchorOf(question)}>
        <p>{text}</p>
        <ul class="fields">
          {fields.map(field => (
            <li>
              <code>
                <span class="soft">{breakable(path)}</span>
                <wbr />
                <b>{breakable(field.path.slice(path.length))}</b>
              </code>{' '}
              <span class="soft">{field.type}</span>
            </li>
          ))}
        </ul>
        {options.length > 0 && (
          <ul class="options">
            {options.map(option => (
              <Option option={option} all={options} versionId={versionId} />
            ))}
          </ul>
        )}
      </div>
    </details>
  )
}

function Option(props: { option: OptionDocs; all: readonly OptionDocs[]; versionId: number }): VNode {
  const { id, text, retired, versions } = props.option
  const [first, last] = versions
  // What was there from the question's beginning needs no word.
  const later = props.all.some(other => other.versions[0] < first)
  return (
    <li>
      <code>{id}</code> <span class="soft">{text}</span>
      {retired && <Badge tone="attention">{later ? `versions ${first} to ${last}` : `until version ${last}`}</Badge>}
      {!retired && later && <Badge tone="good">{first === props.versionId ? 'new' : `since version ${first}`}</Badge>}
    </li>
  )
}

/** May be broken before a dot, and copied whole. */
function breakable(path: string): (string | VNode)[] {
  return path.split(/(?=\.)/).flatMap((step, i) => (i === 0 ? [step] : [<wbr />, step]))
}
