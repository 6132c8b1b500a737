// The editor of one program: the structure, the selected item, and a bar at the top. It saves automatically.

/** @jsxImportSource preact */

import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { type Editing, EditingProvider, useEditing } from '../fields/editing.tsx'
import { type EditorAction, type EditorState, opened, placeIn, reduce, type Selection } from '../model/editor-state.ts'
import type { Saved } from '../saving/draft-saver.ts'
import type { Service } from '../saving/editor-service.ts'
import { keptCopy } from '../saving/kept-copy.ts'
import type { ProgramForEditing } from '../saving/program-for-editing.ts'
import { BeforeYouPublish } from './before-you-publish.tsx'
import { LanguageChoice, useSecondLanguage } from './languages.tsx'
import { LivePreview } from './live-preview.tsx'
import { ProgramPanel, ScreenPanel } from './other-panels.tsx'
import { useFocusAndSpeech, usePanelInView, useReusedOptions, useSaver, useShortcuts } from './page-effects.ts'
import { QuestionPanel } from './question-panel.tsx'
import { SaveNotices, SaveStatus } from './save-notices.tsx'
import { Structure } from './structure.tsx'

const byName = ({ fixed_questions }: ProgramForEditing) =>
  new Map(fixed_questions.map(item => [item.admin_name, item] as const))

/** Links in the preview and on the settings page lead to the items concerned. */
const openedAt = (document: ProgramDefinition): EditorState => opened(document, placeIn(location.hash))

export function Editor({ service, program }: { service: Service; program: ProgramForEditing }) {
  const copy = useMemo(() => keptCopy(service.slug, service.personId), [])
  const kept = useMemo(copy.read, [])
  const [state, dispatch] = useReducer(reduce, kept?.document ?? program.document, openedAt)
  const [fixed, setFixed] = useState(() => byName(program))
  const taken = useMemo(() => new Set<string>(), [])
  const isFixed = (name: string): boolean => fixed.has(name)
  const { saved, saver } = useSaver({ service, program, copy, kept, state, dispatch, taken, isFixed })
  const { say, spoken, focus } = useFocusAndSpeech()
  useShortcuts(dispatch)
  const select = (to: Selection): void => dispatch({ do: 'select', selected: to })
  const editing: Editing = {
    ...state,
    edit: (to, how = {}) => dispatch({ do: 'edit', to, at: Date.now(), ...how }),
    editLate: change => dispatch({ do: 'edit-late', change, at: Date.now() }),
    select,
    ...useSecondLanguage(state, { select, focus, say }),
    say,
    focus,
    errors: saved.errors,
    reused: useReusedOptions(service, saved, program.active_version_number !== null),
    fixed,
    fix: item => setFixed(before => new Map(before).set(item.admin_name, item)),
    taken,
    service,
  }
  const resolve = (theirs: ProgramForEditing, to: EditorState['document']): void => {
    setFixed(byName(theirs))
    saver.resolve(theirs, to)
    dispatch({ do: 'edit', to, at: Date.now() })
  }
  const marks = useMemo(() => marksOf(program, saved), [saved.changes])
  return (
    <EditingProvider value={editing}>
      <Bar service={service} state={state} saved={saved} save={saver.retry} program={program} dispatch={dispatch} />
      <p class="unseen" role="status">
        {spoken}
      </p>
      <SaveNotices state={saved.state} retry={saver.retry} resolve={resolve} />
      <div class="panes">
        <Structure marks={marks}>
          <BeforeYouPublish />
        </Structure>
        <Panel />
        <LivePreview />
      </div>
    </EditingProvider>
  )
}

function Panel() {
  const { selected, panel } = useEditing()
  usePanelInView(panel)
  return (
    <main id="content" class="panel" tabIndex={-1}>
      <a class="to-structure" href="#structure">
        ↑ Structure
      </a>
      <div key={panel}>
        {selected.of === 'question' ? (
          <QuestionPanel name={selected.name} />
        ) : selected.of === 'screen' ? (
          <ScreenPanel index={selected.index} />
        ) : (
          <ProgramPanel />
        )}
      </div>
    </main>
  )
}

/** How the draft changes each question; empty for a program that never had any. */
function marksOf(
  { active_version_number }: ProgramForEditing,
  { changes, isDraft }: Saved,
): ReadonlyMap<string, string> {
  if (active_version_number === null || !isDraft) return new Map()
  const marks = new Map<string, string>(changes.map(({ subject }) => [subject, 'changed']))
  for (const { code, subject } of changes) if (code === 'question_added') marks.set(subject, 'new')
  return marks
}

function Bar(props: {
  service: Service
  state: EditorState
  saved: Saved
  save: () => void
  program: ProgramForEditing
  dispatch: (action: EditorAction) => void
}) {
  const { service, state, saved, program, dispatch } = props
  const leave = useSavedFirst(props)
  const path = `${service.root}/admin/programs/${service.slug}`
  const { length } = saved.changes
  const isFirst = program.active_version_number === null
  return (
    <header class="bar">
      <nav class="crumbs" aria-label="Breadcrumb">
        <span>
          <a href={`${service.root}/admin/programs`}>Programs</a>
        </span>
        <span>
          <a href={`${path}/questions`} dir="auto">
            {service.slug}
          </a>
        </span>
      </nav>
      <h1 dir="auto">{state.document.display_name || service.slug}</h1>
      {saved.isDraft && (
        <span class="badge attention">
          {isFirst ? 'Draft' : `Draft · ${length} ${length === 1 ? 'change' : 'changes'}`}
        </span>
      )}
      <SaveStatus state={saved.state} />
      <div class="actions">
        <button type="button" class="plain" disabled={state.past.length === 0} onClick={() => dispatch({ do: 'undo' })}>
          ↶ Undo
        </button>
        <button
          type="button"
          class="plain"
          disabled={state.future.length === 0}
          onClick={() => dispatch({ do: 'redo' })}
        >
          ↷ Redo
        </button>
        <LanguageChoice />
        {saved.isDraft && (
          <a class="button plain" href={`${path}/draft/preview`} onClick={leave}>
            Preview
          </a>
        )}
        <a class="button plain" href={`${path}/document`} onClick={leave}>
          Document
        </a>
        <a class="button" href={`${path}/publish`} onClick={leave}>
          Review and publish
        </a>
      </div>
    </header>
  )
}

/** Links to pages about the draft save it first; otherwise those pages would show the earlier draft. */
function useSavedFirst({ saved: { state }, save }: { saved: Saved; save: () => void }) {
  const wanted = useRef<HTMLElement | undefined>(undefined)
  const isComing = state.is === 'unsaved' || state.is === 'saving'
  useEffect(() => {
    if (isComing) return
    wanted.current?.click()
    wanted.current = undefined
  }, [state])
  return (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    if (!isComing || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    wanted.current = event.currentTarget
    save()
  }
}
