// The editor's effects on the page around it: saving, shortcuts, focus, and announcements to screen readers.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { renamedByText } from '../model/adding.ts'
import type { EditorAction, EditorState } from '../model/editor-state.ts'
import { DraftSaver, type Saved } from '../saving/draft-saver.ts'
import type { Service } from '../saving/editor-service.ts'
import type { KeptCopy, keptCopy } from '../saving/kept-copy.ts'
import { NewNames } from '../saving/new-names.ts'
import type { ProgramForEditing } from '../saving/program-for-editing.ts'

interface SaverProps {
  service: Service
  program: ProgramForEditing
  copy: ReturnType<typeof keptCopy>
  /** Changes that an earlier page in this tab had not saved yet. */
  kept: KeptCopy | undefined
  state: EditorState
  dispatch: (action: EditorAction) => void
  taken: Set<string>
  isFixed: (name: string) => boolean
}

/** How often to check whether the connection, or the session, is back. */
const lookMs = 15_000

export function useSaver(props: SaverProps): { saved: Saved; saver: DraftSaver } {
  const { service, program, copy, kept, state, dispatch, taken } = props
  const now = useRef(props)
  now.current = props
  const [saved, setSaved] = useState<Saved>({
    state: { is: 'unchanged' },
    errors: [],
    changes: program.changes,
    isDraft: program.is_draft,
  })
  const made = useRef<DraftSaver | undefined>(undefined)
  if (made.current === undefined) {
    const rename = (name: string): void =>
      dispatch({
        do: 'edit-late',
        change: present => renamedByText(present, name, taken),
        typing: 'name',
        at: Date.now(),
      })
    const names = new NewNames(service, taken, rename)
    const prepare = (document: ProgramDefinition, base: ProgramDefinition) => {
      const known = new Set(base.questions.map(({ admin_name }) => admin_name))
      return names.check(document, name => known.has(name) || now.current.isFixed(name))
    }
    made.current = new DraftSaver(service, copy, program, setSaved, prepare, kept?.base)
  }
  const saver = made.current
  // In the same frame as the change, so that a link followed at once finds it unsaved.
  useLayoutEffect(() => saver.change(state.document), [state.document])
  useEffect(() => {
    const timer = setInterval(saver.retry, lookMs)
    for (const event of ['online', 'focus']) addEventListener(event, saver.retry)
    addEventListener('beforeunload', event => {
      if (saver.isUnsaved) event.preventDefault()
    })
    return () => clearInterval(timer)
  }, [])
  return { saved, saver }
}

const none: readonly VersionChange[] = []

/** Options of the draft whose ID had another meaning in an earlier version (contract D56). */
export function useReusedOptions(service: Service, { changes }: Saved, hasVersions: boolean): readonly VersionChange[] {
  const [reused, setReused] = useState(none)
  const added = changes.filter(({ code }) => code === 'option_added').map(({ subject, detail }) => subject + detail)
  useEffect(() => {
    let isWanted = hasVersions && added.length > 0
    if (isWanted)
      void service.changes().then(found => {
        if (isWanted && !('failed' in found)) setReused(found.filter(({ code }) => code === 'option_reused'))
      })
    else setReused(none)
    return () => {
      isWanted = false
    }
  }, [added.join()])
  return reused
}

/**
 * Scrolls to the top of the panel whenever another one opens, also for a link to a place. On a phone, the panel comes after the whole structure;
 * where it is beside it, the selected item is scrolled into view.
 */
export function usePanelInView(panel: number): void {
  const shown = useRef(location.hash === '' ? panel : undefined)
  useLayoutEffect(() => {
    if (shown.current === panel) return
    shown.current = panel
    document.querySelector('.structure .current')?.scrollIntoView({ block: 'nearest' })
    const place = document.getElementById('content')!
    place.scrollTop = 0
    const { top } = place.getBoundingClientRect()
    if (top < 0 || top > innerHeight / 2) place.scrollIntoView()
  })
}

/** Ctrl+Z and Ctrl+Shift+Z, or ⌘: also within a field, whose own history doesn't include the rest. */
export function useShortcuts(dispatch: (action: { do: 'undo' | 'redo' }) => void): void {
  useEffect(() => {
    addEventListener('keydown', event => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return
      const key = event.key.toLowerCase()
      if (key !== 'z' && key !== 'y') return
      event.preventDefault()
      dispatch({ do: key === 'y' || event.shiftKey ? 'redo' : 'undo' })
    })
  }, [])
}

/** `focus` moves the focus once the edit is on the page; an announcement is read even if it repeats the last one. */
export function useFocusAndSpeech() {
  const wanted = useRef<string | undefined>(undefined)
  const [spoken, setSpoken] = useState('')
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    const found =
      wanted.current === 'first-field'
        ? document.querySelector<HTMLElement>('.panel :is(textarea, input)')
        : document.getElementById(wanted.current)
    if (found === null) return
    wanted.current = undefined
    found.focus()
    if (found instanceof HTMLInputElement) found.select()
  })
  const focus = useCallback((id: string) => {
    wanted.current = id
  }, [])
  const say = useCallback((text: string) => setSpoken(before => (before === text ? `${text}\u00a0` : text)), [])
  return { focus, spoken, say }
}
