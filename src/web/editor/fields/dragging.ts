// Moves items by pointer: mouse, pen or finger. The page shows where the item would land; only the drop changes the document.

/** Starts dragging the item of a handle. `drop` receives the keys of the dragged item and of its target, and whether it goes before or after it. */
export function drag(
  event: PointerEvent,
  list: HTMLElement,
  drop: (from: string, to: string, isAfter: boolean) => void,
): void {
  const handle = (event.target as Element).closest<HTMLElement>('.handle')
  const dragged = handle?.closest<HTMLElement>('[data-item]')
  if (handle == null || dragged == null || event.button !== 0) return
  event.preventDefault()
  handle.focus()
  handle.setPointerCapture(event.pointerId)
  const ended = new AbortController()
  const { signal } = ended
  let over: HTMLElement | undefined
  let isAfter = false
  const show = (next: HTMLElement | undefined): void => {
    over?.classList.remove('over-before', 'over-after')
    over = next
    over?.classList.add(isAfter ? 'over-after' : 'over-before')
  }
  const move = ({ clientX, clientY }: PointerEvent): void => {
    dragged.classList.add('dragged')
    const found = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-item]')
    if (found == null || !list.contains(found)) return
    const { top, height } = found.getBoundingClientRect()
    isAfter = clientY > top + height / 2
    show(found)
    found.scrollIntoView({ block: 'nearest' })
  }
  const end = (isDropped: boolean): void => {
    ended.abort()
    const target = over
    show(undefined)
    dragged.classList.remove('dragged')
    if (isDropped && target !== undefined && target !== dragged)
      drop(dragged.dataset.item!, target.dataset.item!, isAfter)
  }
  handle.addEventListener('pointermove', move, { signal })
  handle.addEventListener('pointerup', () => end(true), { signal })
  handle.addEventListener('pointercancel', () => end(false), { signal })
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && end(false), { signal })
}
