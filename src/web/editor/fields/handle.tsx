// The handle for moving an item by dragging or with the arrow keys, and a list of rows that can be moved this way.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { drag } from './dragging.ts'
import { useEditing } from './editing.tsx'

export const Handle = ({ id, name }: { id: string; name: string }) => (
  <button type="button" class="handle" id={id} aria-label={`Move ${name}`} aria-describedby="how-to-move">
    <svg viewBox="0 0 8 14" aria-hidden="true">
      {[1, 7, 13].flatMap(y => [1, 7].map(x => <circle cx={x} cy={y} r="1" />))}
    </svg>
  </button>
)

/** −1 or 1 if this key moves the item of the focused handle. */
export function stepOf(event: KeyboardEvent): -1 | 1 | undefined {
  if (!(event.target as Element).matches('.handle')) return undefined
  const step = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key as 'ArrowUp']
  if (step !== undefined) event.preventDefault()
  return step
}

/** Rows of one kind, each an item identified by its number, with the handle `handle <kind> <number>`. */
export function Rows<One>(props: {
  kind: string
  all: readonly One[]
  nameOf: (item: One) => string
  change: (all: One[]) => void
  /** The new position of the moved item. */
  onMoved?: (to: number) => void
  children: ComponentChildren
}) {
  const { kind, all, nameOf, change, onMoved, children } = props
  const { say, focus } = useEditing()
  const move = (from: number, to: number): void => {
    const moved = all[from]
    if (moved === undefined || all[to] === undefined || from === to) return
    change(all.toSpliced(from, 1).toSpliced(to, 0, moved))
    onMoved?.(to)
    say(`${nameOf(moved)}: ${kind} ${to + 1} of ${all.length}`)
    focus(`handle ${kind} ${to}`)
  }
  return (
    <ol
      class="option-rows"
      onPointerDown={event =>
        drag(event, event.currentTarget, (item, target, isAfter) => {
          const [from, to] = [Number(item), Number(target) + (isAfter ? 1 : 0)]
          move(from, to > from ? to - 1 : to)
        })
      }
      onKeyDown={event => {
        const from = Number((event.target as Element).closest<HTMLElement>('[data-item]')?.dataset.item)
        const by = stepOf(event)
        if (by !== undefined) move(from, from + by)
      }}
    >
      {children}
    </ol>
  )
}
