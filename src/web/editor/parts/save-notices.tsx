// Shows whether the document is saved, being saved, or not saved yet, with the reason and what to do.

/** @jsxImportSource preact */

import { useEffect, useState } from 'preact/hooks'
import { diffDefinitions } from '../../../domain/comparison/version-diff.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { useEditing } from '../fields/editing.tsx'
import { mergeDefinitions } from '../model/merge-definitions.ts'
import type { SaveState } from '../saving/draft-saver.ts'
import type { ProgramForEditing } from '../saving/program-for-editing.ts'

const short: Readonly<Record<Exclude<SaveState['is'], 'saved'>, string>> = {
  unchanged: '',
  unsaved: 'Not saved yet',
  saving: 'Saving…',
  unfinished: 'Not saved: something is incomplete',
  unreachable: 'Not saved: no connection',
  signed_out: 'Not saved: signed out',
  other_person: 'Not saved: another person signed in',
  conflict: 'Not saved: changed by someone else',
}

function ago(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 2) return 'Saved just now'
  const words = new Intl.RelativeTimeFormat('en')
  return `Saved ${seconds < 60 ? words.format(-seconds, 'second') : seconds < 3600 ? words.format(-Math.floor(seconds / 60), 'minute') : words.format(-Math.floor(seconds / 3600), 'hour')}`
}

export function SaveStatus({ state }: { state: SaveState }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 2000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="soft save-state" data-state={state.is}>
      {state.is === 'saved' ? ago(Math.max(0, now - state.at)) : short[state.is]}
    </span>
  )
}

export function SaveNotices(props: {
  state: SaveState
  retry: () => void
  resolve: (theirs: ProgramForEditing, document: ProgramDefinition) => void
}) {
  const { state, retry, resolve } = props
  const { service } = useEditing()
  if (state.is === 'unreachable')
    return (
      <div class="notice attention save-notice" role="alert" data-notice="unreachable">
        <strong>The service can’t be reached.</strong> Keep editing: this tab has your changes, and they are saved when
        the connection is back.{' '}
        <button type="button" class="plain" onClick={retry}>
          Try now
        </button>
      </div>
    )
  if (state.is === 'signed_out')
    return (
      <div class="notice attention save-notice" role="alert" data-notice="signed-out">
        <strong>Your session has ended.</strong> This tab has your changes.{' '}
        <a href={`${service.root}/admin/sign-in?next=/admin/account`} target="_blank" rel="noopener">
          Sign in using another tab
        </a>
        , then come back. They save automatically.
      </div>
    )
  if (state.is === 'other_person')
    return (
      <div class="notice attention save-notice" role="alert" data-notice="other-person">
        <strong>Someone else is signed in on this browser.</strong> Sign in with your own account to save your changes.
      </div>
    )
  return state.is === 'conflict' ? <Conflict {...state} resolve={resolve} /> : null
}

const shownMax = 12

function Conflict(props: {
  base: ProgramDefinition
  theirs: ProgramForEditing
  resolve: (theirs: ProgramForEditing, document: ProgramDefinition) => void
}) {
  const { base, theirs, resolve } = props
  const { document, service } = useEditing()
  const path = `${service.root}/admin/programs/${service.slug}`
  if (theirs.is_overtaken)
    return (
      <div class="notice bad save-notice" role="alert" data-notice="overtaken">
        <h2>Version {theirs.active_version_number} was published after this draft was started</h2>
        <p>
          This tab has your changes. <a href={`${path}/publish`}>Review the draft</a> and keep or discard it, then come
          back.
        </p>
      </div>
    )
  const { document: both, clashes } = mergeDefinitions(base, document, theirs.document)
  const name = (theirs.made_by ?? '').replace(/^[a-z-]+:/, '') || 'Someone else'
  return (
    <div class="notice bad save-notice" role="alert" data-notice="conflict">
      <h2>
        {name} {theirs.is_draft ? 'saved this draft' : `published version ${theirs.active_version_number}`} at{' '}
        {new Date(theirs.made_at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}, while you were
        editing
      </h2>
      <div class="pair">
        <Changes title="Their changes" changes={diffDefinitions(base, theirs.document)} />
        <Changes title="Your changes" changes={diffDefinitions(base, document)} />
      </div>
      <div class="actions">
        {clashes.length === 0 && (
          <button type="button" onClick={() => resolve(theirs, both)}>
            Keep both
          </button>
        )}
        <button type="button" class="plain" onClick={() => resolve(theirs, theirs.document)}>
          Use theirs
        </button>
        <button
          type="button"
          class="plain"
          onClick={() => resolve(theirs, { ...document, based_on: theirs.document.based_on })}
        >
          Use mine
        </button>
      </div>
    </div>
  )
}

function Changes({ title, changes }: { title: string; changes: readonly { subject: string; detail: string }[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {changes.slice(0, shownMax).map(({ subject, detail }) => (
          <li dir="auto">
            {subject !== '' && <strong>{subject}: </strong>}
            {detail}
          </li>
        ))}
        {changes.length > shownMax && <li>and {changes.length - shownMax} more</li>}
      </ul>
    </div>
  )
}
