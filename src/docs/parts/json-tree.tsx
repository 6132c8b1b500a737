// JSON for reading: coloured, its long parts folded. Its text is exactly JSON.stringify(value, null, 2), so that what is copied is right.

/** @jsxImportSource preact */

import type { ComponentChildren, VNode } from 'preact'

/** Longer texts are shown without colours. */
const treeTextMax = 200_000
/** What has fewer lines does not fold. */
const foldedLinesMin = 12
/** Members of an object of very many that are shown before the rest, which is folded. */
const membersFirst = 12
const veryMany = 20

export function JsonTree({ value, id }: { value: unknown; id: string }): VNode {
  const text = JSON.stringify(value, null, 2)
  return (
    <div class="json" id={id}>
      {text.length > treeTextMax ? text : written(value, '', '', '', true).shown}
    </div>
  )
}

interface Written {
  shown: ComponentChildren
  lines: number
}

/** `end` is what follows the value: a comma where another does, and the line's end. */
function written(value: unknown, pad: string, name: ComponentChildren, end: string, open: boolean): Written {
  const many = Array.isArray(value)
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return { shown: [pad, name, scalar(value), end], lines: 1 }
  const inner = `${pad}  `
  const entries = many ? value.map(one => ['', one] as const) : Object.entries(value)
  const members = entries.map(([key, one], i) =>
    written(
      one,
      inner,
      many ? '' : [<span class="k">{JSON.stringify(key)}</span>, ': '],
      i === entries.length - 1 ? '\n' : ',\n',
      // Of a list, the first is enough to see what they are like.
      !many || i === 0,
    ),
  )
  const lines = members.reduce((sum, one) => sum + one.lines, 2)
  const [first, last] = many ? ['[', ']'] : ['{', '}']
  if (lines < foldedLinesMin)
    return { shown: [pad, name, first, '\n', members.map(one => one.shown), pad, last, end], lines }
  const shown = (
    <details open={open}>
      <summary data-folded={` … ${counted(entries.length, many ? 'item' : 'member')} ${last}${end.trim()}`}>
        {pad}
        {name}
        {first}
        <span hidden>{'\n'}</span>
      </summary>
      {many ? members.map(one => one.shown) : foldedRest(members, inner)}
      {pad}
      {last}
      {end}
    </details>
  )
  return { shown, lines }
}

/** The members of an object, the many that come after the first under one fold. Its label is no part of the text. */
function foldedRest(members: readonly Written[], pad: string): ComponentChildren {
  const rest = members.slice(membersFirst)
  if (members.length <= veryMany) return members.map(one => one.shown)
  const label = `${rest.length} more`
  return [
    members.slice(0, membersFirst).map(one => one.shown),
    <details>
      <summary class="rest" aria-label={label} data-folded={`${pad}… ${label}`} />
      {rest.map(one => one.shown)}
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
