// Shows an application's answers screen by screen, with nested entities.

/** @jsxImportSource preact */

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AnswerLine } from '../../../domain/fields/question-type.ts'
import type {
  AnswerChange,
  ReadableApplication,
  ReadableEntity,
  ReadableRow,
  ReadableScreen,
} from '../../../domain/readable/readable-application.ts'
import { Badge, figures } from '../../html/components.tsx'

/** The files that the applicant has uploaded here: names by the path of their download. Other files are only links. */
export const OwnFiles = createContext<ReadonlyMap<string, string>>(new Map())

/** Longer answers are cut here; the export has all of them. In UTF-16 units. */
const shownLengthMax = 20_000

export function AnswersView({ answers, exportedPath }: { answers: ReadableApplication; exportedPath: string }) {
  return (
    <div class="screens">
      {answers.screens.map(screen => (
        <Screen screen={screen} />
      ))}
      {answers.cut && (
        <p class="card">
          There are too many answers to show on this page. <a href={exportedPath}>View the full export</a>
        </p>
      )}
    </div>
  )
}

function Screen({ screen: { name, notAsked, rows } }: { screen: ReadableScreen }) {
  return (
    <section class="card">
      <h2 dir="auto">{name ?? 'Not on any screen'}</h2>
      {notAsked === undefined ? <Rows rows={rows} /> : <p class="soft">Not asked. Condition: {notAsked}.</p>}
    </section>
  )
}

const Rows = ({ rows }: { rows: readonly ReadableRow[] }) => (
  <dl class="answers">
    {rows.map(row => (
      <div>
        <dt dir="auto">{row.text}</dt>
        <dd>
          <div>
            <RowAnswer row={row} />
          </div>{' '}
          <ChangeMark change={row.change} row={row} />
        </dd>
      </div>
    ))}
  </dl>
)

function RowAnswer({ row: { answer } }: { row: ReadableRow }) {
  switch (answer.state) {
    case 'unanswered':
      return <span class="soft">not answered</span>
    case 'not_asked':
      return <span class="soft">not asked (condition: {answer.when})</span>
    case 'answered':
      return <Lines lines={answer.lines} />
    case 'entities':
      return (
        <>
          {answer.entities.length > 0 && (
            <ul class="entities">
              {answer.entities.map(entity => (
                <Entity entity={entity} />
              ))}
            </ul>
          )}
          {answer.gone.length > 0 && (
            <p class="soft">
              Removed: {answer.gone.join(', ')} <Badge tone="attention">removed</Badge>
            </p>
          )}
        </>
      )
  }
}

/** One line that expands to the questions; expanded if an answer changed. */
function Entity({ entity: { name, change, rows } }: { entity: ReadableEntity }) {
  const head = (
    <>
      <strong dir="auto">{name}</strong> {change === 'new' && <Badge tone="attention">new</Badge>}
    </>
  )
  if (rows.length === 0) return <li>{head}</li>
  const short = rows.flatMap(inShort).filter(text => !saysLittle(text, name))
  const changed = change !== 'new' && rows.some(row => row.change !== undefined)
  return (
    <li>
      <details open={changed}>
        <summary>
          {head} {short.length > 0 && <span dir="auto">· {short.join(' · ')}</span>}
        </summary>
        <Rows rows={rows} />
      </details>
    </li>
  )
}

const shortLengthMax = 60

/** Text that means little without its question, or repeats the name. */
const saysLittle = (text: string, name: string): boolean =>
  /^(?:yes|no|\d*)$/i.test(text) || text.startsWith(name.split(' ')[0]!)

/** A short version of an answer: its first line, or the names of entities. Empty for long answers. */
function inShort({ answer }: ReadableRow): string[] {
  if (answer.state === 'entities') return answer.entities.map(({ name }) => name).slice(0, 3)
  const [line] = answer.state === 'answered' ? answer.lines : []
  return line === undefined || line.text.length > shortLengthMax ? [] : [line.text]
}

/** Entities have their own marks, which say more. */
const ChangeMark = ({ change, row }: { change: AnswerChange | undefined; row: ReadableRow }) =>
  change === undefined || row.answer.state === 'entities' ? null : (
    <Badge tone="attention">{change === 'gone' ? 'answer removed' : change}</Badge>
  )

export const Lines = ({ lines }: { lines: readonly AnswerLine[] }) => (
  <>
    {lines.map(line => (
      <Line line={line} />
    ))}
  </>
)

/** Whether a link from an applicant is safe to offer: HTTPS, and no username that could pass for the host. */
function isLink(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === ''
}

/** A file's name: the last part of its URL, decoded if that is safe, or the whole URL if it ends with a slash. */
function fileName(address: string): string {
  const last = new URL(address).pathname.split('/').at(-1)!
  if (last === '') return address
  try {
    const name = decodeURIComponent(last)
    return /[/\p{C}]/u.test(name) ? last : name
  } catch {
    return last
  }
}

function Line({ line: { text, look } }: { line: AnswerLine }) {
  const ownFiles = useContext(OwnFiles)
  const path = look === 'link' ? URL.parse(text)?.pathname.replace(/^.*(?=\/admin\/programs\/)/, '') : undefined
  const ownName = ownFiles.get(path ?? '')
  if (ownName !== undefined)
    return (
      <span class="line">
        <a href={path} download dir="auto">
          {ownName}
        </a>
      </span>
    )
  if (text.length > shownLengthMax)
    return (
      <>
        <span class="line" dir="auto">
          {text.slice(0, shownLengthMax)}
        </span>
        <span class="line soft">… {figures(text.length)} characters in total. The export has the full answer.</span>
      </>
    )
  if (look === 'link' && isLink(text))
    return (
      <span class="line">
        <a href={text} rel="noreferrer noopener external" dir="auto">
          {fileName(text)}
        </a>{' '}
        <span class="soft">{new URL(text).host}</span>
      </span>
    )
  return (
    <span class={look === 'code' ? 'line mono' : look === 'aside' ? 'line soft' : 'line'} dir="auto">
      {text}
    </span>
  )
}
