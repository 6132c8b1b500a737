// Shows JSON with colors, folded long parts and hanging indents. Its text is exactly JSON.stringify(value, null, 2), so that copying it
// gives valid JSON.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'
import { hangClass, Indentation, Line } from '../../html/secret.tsx'

/** Longer texts are shown without colours. */
const treeTextMax = 200_000
/** Values with fewer lines do not fold. */
const foldedLinesMin = 12
/** Number of members shown of a very large object; the rest is folded. */
const membersFirst = 12
const veryMany = 20

/** Marks a member with an ID for links, with the anchor of its description, and as new. */
export interface JsonMark {
  id?: string
  href?: string
  isNew?: boolean
}

interface JsonTreeProps {
  value: unknown
  id: string
  /** Marks by member path, with the first item of each list: `payload[<index>].application.housing`. */
  marks?: ReadonlyMap<string, JsonMark>
}

export function JsonTree({ value, id, marks = new Map() }: JsonTreeProps): VNode {
  const text = JSON.stringify(value, null, 2)
  return (
    <div class="json" id={id}>
      {text.length > treeTextMax ? text : written(value, { depth: 0, end: '', open: true, path: '' }, marks).shown}
    </div>
  )
}

/** The value at a path of `marks`; undefined if the example has none. */
export const valueAt = (value: unknown, path: string): unknown =>
  path.split(/\.|(?=\[)/).reduce((at, step) => {
    if (typeof at !== 'object' || at === null) return undefined
    return step === '[<index>]' ? (at as unknown[])[0] : (at as Record<string, unknown>)[step]
  }, value)

interface Written {
  shown: ComponentChildren
  lines: number
}

interface Place {
  /** Number of objects and lists around the value. */
  depth: number
  /** The member's name, with its mark. */
  key?: { name: string; mark: JsonMark | undefined }
  /** Anchor of what describes the value: its own, or that of the nearest member around it. */
  href?: string | undefined
  /** Text after the value: a comma if another follows, and the line break. */
  end: string
  open: boolean
  /** Undefined within list items other than the first. */
  path: string | undefined
}

function written(value: unknown, place: Place, marks: ReadonlyMap<string, JsonMark>): Written {
  const { depth, end, open } = place
  const name = place.key && [<Key {...place.key} href={place.href} />, ': ']
  const line = (...text: ComponentChildren[]) => <Line depth={depth}>{text}</Line>
  const many = Array.isArray(value)
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return { shown: line(name, scalar(value), end), lines: 1 }
  const entries = many ? value.map(value => ['', value] as const) : Object.entries(value)
  const members = entries.map(([key, value], i) => {
    const path = pathWithin(place.path, many ? i : key)
    const mark = path === undefined ? undefined : marks.get(path)
    const within: Place = {
      depth: depth + 1,
      ...(!many && { key: { name: key, mark } }),
      href: mark?.href ?? place.href,
      end: i === entries.length - 1 ? '\n' : ',\n',
      // The first item of a list is enough as an example.
      open: !many || i === 0,
      path,
    }
    return written(value, within, marks)
  })
  const lines = members.reduce((sum, member) => sum + member.lines, 2)
  const [first, last] = many ? ['[', ']'] : ['{', '}']
  if (lines < foldedLinesMin)
    return { shown: [line(name, first, '\n'), members.map(member => member.shown), line(last, end)], lines }
  const shown = (
    <details open={open}>
      <summary
        class={hangClass(depth)}
        data-folded={` … ${counted(entries.length, many ? 'item' : 'member')} ${last}${end.trim()}`}
      >
        <Indentation depth={depth} />
        {/* A fold cannot contain a link. */}
        {place.key && [<Key {...place.key} />, ': ']}
        {first}
        <span hidden>{'\n'}</span>
      </summary>
      {many ? members.map(member => member.shown) : foldedRest(members, '  '.repeat(depth + 1))}
      {line(last, end)}
    </details>
  )
  return { shown, lines }
}

function pathWithin(path: string | undefined, step: string | number): string | undefined {
  if (path === undefined || (typeof step === 'number' && step > 0)) return undefined
  if (typeof step === 'number') return `${path}[<index>]`
  return path === '' ? step : `${path}.${step}`
}

const Key = ({ name, mark, href }: { name: string; mark: JsonMark | undefined; href?: string | undefined }): VNode => {
  const text = JSON.stringify(name)
  return (
    <span class={mark?.isNew ? 'k new' : 'k'} id={mark?.id}>
      {href === undefined ? (
        text
      ) : (
        // The keyboard stops at the first link to a description only.
        <a href={href} tabIndex={href === mark?.href ? undefined : -1}>
          {text}
        </a>
      )}
    </span>
  )
}

/** The members of an object, with all but the first few folded. The label of the fold is not part of the text. */
function foldedRest(members: readonly Written[], pad: string): ComponentChildren {
  const rest = members.slice(membersFirst)
  if (members.length <= veryMany) return members.map(member => member.shown)
  const label = `${rest.length} more`
  return [
    members.slice(0, membersFirst).map(member => member.shown),
    <details>
      <summary class="rest" aria-label={label} data-folded={`${pad}… ${label}`} />
      {rest.map(written => written.shown)}
    </details>,
  ]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function scalar(value: unknown): ComponentChildren {
  if (typeof value === 'string') return <span class="s">{JSON.stringify(value)}</span>
  if (typeof value === 'number') return <span class="n">{JSON.stringify(value)}</span>
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return <span class="l">{JSON.stringify(value)}</span>
}
