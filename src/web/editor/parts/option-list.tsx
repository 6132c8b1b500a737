// Edits the options of a question: typing, pasting, moving and removing them. Long lists are shown in parts.

/** @jsxImportSource preact */

import { useRef, useState } from 'preact/hooks'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import type { OptionDefinition } from '../../../domain/definitions/program-definition.ts'
import { defaultLanguageOf } from '../../../domain/languages/localized.ts'
import { fieldId, useEditing } from '../fields/editing.tsx'
import { FieldError, TextField, useErrorAt } from '../fields/editor-fields.tsx'
import { Handle, Rows } from '../fields/handle.tsx'
import { isIdFor, optionIdFor, pastedLines, withLines } from '../model/naming.ts'

/** Number of options shown at a time. */
const shownMax = 25

export function OptionList(props: {
  /** The admin name of the question. */
  question: string
  at: string
  options: readonly OptionDefinition[]
  /** IDs that have been exported, which cannot change. */
  published: readonly string[]
  change: (options: OptionDefinition[], typing?: string) => void
}) {
  const { at, options, published, change } = props
  const { say, sought, second, document } = useEditing()
  const [from, setFrom] = useState(() => {
    const index = sought?.pointer.startsWith(`${at}/`) ? Number(sought.pointer.slice(at.length + 1).split('/')[0]) : 0
    return Math.floor(index / shownMax) * shownMax
  })
  const error = useErrorAt(at)
  const first = Math.min(from, Math.floor(Math.max(0, options.length - 1) / shownMax) * shownMax)
  const add = (lines: readonly string[], index = options.length): void => {
    if (lines.length === 0) return
    change(withLines(options, lines, index))
    setFrom(Math.floor((index + lines.length - 1) / shownMax) * shownMax)
    say(lines.length === 1 ? `Option ${lines[0]} added` : `${lines.length} options added`)
  }
  return (
    <fieldset class="field rows" id={fieldId(at)} tabIndex={-1}>
      <legend>Options</legend>
      <FieldError id={fieldId(at)} text={error} />
      {options.length > shownMax && <Part first={first} count={options.length} show={setFrom} />}
      {second !== undefined && (
        <p class="option-heads" aria-hidden="true">
          <span>{languageName(defaultLanguageOf(document))}</span>
          <span>{languageName(second)}</span>
          <span>ID in exports</span>
        </p>
      )}
      <Rows
        kind="option"
        all={options}
        nameOf={({ text }) => text}
        change={change}
        onMoved={to => setFrom(Math.floor(to / shownMax) * shownMax)}
      >
        {options.slice(first, first + shownMax).map((option, i) => (
          <OptionRow
            {...props}
            option={option}
            index={first + i}
            isPublished={published.includes(option.admin_id)}
            add={add}
          />
        ))}
      </Rows>
      <NewOption at={at} add={add} />
    </fieldset>
  )
}

function OptionRow(props: {
  question: string
  at: string
  options: readonly OptionDefinition[]
  option: OptionDefinition
  index: number
  isPublished: boolean
  change: (options: OptionDefinition[], typing?: string) => void
  add: (lines: readonly string[], index: number) => void
}) {
  const { question, at, options, option, index, isPublished, change, add } = props
  const path = `${at}/${index}`
  const set = (changed: Partial<OptionDefinition>, member: string): void =>
    change(options.with(index, { ...option, ...changed }), `${path}/${member}`)
  const reword = (text: string): void => {
    const others = options.toSpliced(index, 1)
    const follows = !isPublished && isIdFor(option.admin_id, option.text)
    set({ text, ...(follows && { admin_id: optionIdFor(text, others) }) }, 'text')
  }
  return (
    <li data-item={String(index)}>
      <Handle id={`handle option ${index}`} name={option.text} />
      <TextField
        cell
        label={`Text of option ${index + 1}`}
        at={`${path}/text`}
        translated
        value={option.text}
        change={reword}
        onPasteLines={text => {
          const [first = '', ...rest] = pastedLines(text)
          if (option.text === '') change(withLines(options.toSpliced(index, 1), [first, ...rest], index))
          else add([first, ...rest], index + 1)
        }}
      />
      <TextField
        cell
        class="mono"
        label={`ID of option ${index + 1}`}
        at={`${path}/admin_id`}
        value={option.admin_id}
        readOnly={isPublished}
        change={admin_id => set({ admin_id }, 'admin_id')}
      />
      <button
        type="button"
        class="quiet"
        aria-label={`Remove option ${option.text}`}
        onClick={() => change(options.toSpliced(index, 1))}
      >
        ✕
      </button>
      <ReusedId
        question={question}
        id={option.admin_id}
        replace={() => set({ admin_id: optionIdFor(option.text, options) }, 'admin_id')}
      />
    </li>
  )
}

/** Warns, in the review's words, that an ID meant something else in an earlier version (contract D56). */
function ReusedId({ question, id, replace }: { question: string; id: string; replace: () => void }) {
  const { reused } = useEditing()
  const added = ` (${id}) added. `
  const found = reused.find(({ subject, detail }) => subject === question && detail.includes(added))
  if (found === undefined) return null
  return (
    <p class="notice attention reused" data-code={found.code} dir="auto">
      {found.detail.slice(found.detail.indexOf(added) + added.length)}{' '}
      <button type="button" class="quiet" onClick={replace}>
        Use another ID
      </button>
    </p>
  )
}

/** Takes the text of a new option, or a list. */
function NewOption({ at, add }: { at: string; add: (lines: readonly string[]) => void }) {
  const [text, setText] = useState('')
  const field = useRef<HTMLDivElement>(null)
  const take = (): void => {
    add(pastedLines(text))
    setText('')
  }
  return (
    <div class="new-option" ref={field} onFocusOut={take}>
      <TextField
        cell
        label="New option"
        at={`${at}/-`}
        placeholder="Add an option, or paste a list"
        value={text}
        change={setText}
        onEnter={take}
        onPasteLines={pasted => add(pastedLines(pasted))}
      />
    </div>
  )
}

function Part({ first, count, show }: { first: number; count: number; show: (first: number) => void }) {
  const last = Math.min(count, first + shownMax)
  return (
    <p class="actions">
      <span>
        Options {first + 1} to {last} of {count.toLocaleString()}
      </span>
      <button type="button" class="plain" disabled={first === 0} onClick={() => show(first - shownMax)}>
        Previous
      </button>
      <button type="button" class="plain" disabled={last === count} onClick={() => show(first + shownMax)}>
        Next
      </button>
    </p>
  )
}
