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
  const scroller = scrollerOf(list)
  let frame = 0
  let over: HTMLElement | undefined
  let isAfter = false
  const show = (next: HTMLElement | undefined): void => {
    over?.classList.remove('over-before', 'over-after')
    over = next
    over?.classList.add(isAfter ? 'over-after' : 'over-before')
  }
  const move = ({ clientX, clientY }: Pick<PointerEvent, 'clientX' | 'clientY'>): void => {
    dragged.classList.add('dragged')
    cancelAnimationFrame(frame)
    const by = scrollStep(scroller, list, clientY)
    if (by !== 0)
      frame = requestAnimationFrame(() => {
        scroller.scrollBy(0, by)
        move({ clientX, clientY })
      })
    const found = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('[data-item]')
    if (found == null || !list.contains(found)) return
    const { top, height } = found.getBoundingClientRect()
    isAfter = clientY > top + height / 2
    show(found)
  }
  const end = (isDropped: boolean): void => {
    ended.abort()
    cancelAnimationFrame(frame)
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

/** How close to an edge the pointer makes a list scroll, and the most it scrolls in a frame; both in pixels. */
const [edgePx, stepMaxPx] = [48, 24]

/** The element that scrolls a list: the pane around it or, where panes are below one another, the page. */
function scrollerOf(list: HTMLElement): Element {
  for (let at: HTMLElement | null = list; at !== null; at = at.parentElement)
    if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at
  return document.scrollingElement!
}

/** How far to scroll a list for a pointer at this height: faster near the edge, and no further than the end of the list. */
function scrollStep(scroller: Element, list: HTMLElement, y: number): number {
  const [pane, rows] = [scroller.getBoundingClientRect(), list.getBoundingClientRect()]
  const above = Math.max(0, pane.top) + edgePx - y
  const below = y - Math.min(innerHeight, pane.bottom) + edgePx
  if (above > 0 && rows.top < y) return -Math.min(stepMaxPx, above / 2)
  return below > 0 && rows.bottom > y ? Math.min(stepMaxPx, below / 2) : 0
}
