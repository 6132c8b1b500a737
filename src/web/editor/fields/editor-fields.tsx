// The fields of the editor. Each has a place in the document, as a JSON Pointer, and shows the errors there.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import { translationAt, translationPointer, withText, withTranslation } from '../../../domain/languages/edit-texts.ts'
import { detailInWords } from '../model/condition-problems.ts'
import { fieldId, useEditing } from './editing.tsx'

interface FieldProps {
  label: string
  /** The path of its value in the document. */
  at: string
  optional?: boolean
  hint?: ComponentChildren
  /** Whether its label is only for screen readers. */
  cell?: boolean
}

interface Tied {
  id: string
  'aria-label'?: string
  'aria-describedby'?: string
  'aria-invalid'?: 'true'
}

/** The first error at a path of the document or, with `deep`, within it. */
export function useErrorAt(at: string, deep = false): string | undefined {
  const { errors, document } = useEditing()
  const error = errors.find(({ path }) => path === at || (deep && path.startsWith(`${at}/`)))
  return error && detailInWords(document, error)
}

export const FieldError = ({ id, text }: { id: string; text: string | undefined }) =>
  text === undefined ? null : (
    <p class="error" id={`${id}-error`}>
      {text}
    </p>
  )

interface FieldParts extends FieldProps {
  deep?: boolean
  /** An additional error that is not one of the document's. */
  error?: string | undefined
  class?: string
  children: (tied: Tied) => ComponentChildren
}

/** Label, hint, field and error, connected for screen readers. */
export function Field(props: FieldParts) {
  const { label, at, optional, hint, cell, deep, children } = props
  const [isTyping, setTyping] = useState(false)
  const found = useErrorAt(at, deep)
  const id = fieldId(at)
  // A value that is still being typed need not be complete.
  const error = props.error ?? (isTyping ? undefined : found)
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div
      class={`field${cell ? ' cell' : ''}${error === undefined ? '' : ' wrong'} ${props.class ?? ''}`}
      onInput={() => setTyping(true)}
      onFocusOut={() => setTyping(false)}
    >
      {!cell && (
        <label for={id}>
          {label}
          {optional && <span class="soft"> optional</span>}
        </label>
      )}
      {children({
        id,
        ...(cell && { 'aria-label': label }),
        ...(described !== '' && { 'aria-describedby': described }),
        ...(error !== undefined && { 'aria-invalid': 'true' }),
      })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FieldError id={id} text={error} />
    </div>
  )
}

type TextProps = FieldProps & {
  value: string
  change: (value: string) => void
  /** Number of visible lines; with one, it is a plain field. */
  rows?: number
  onEnter?: () => void
  onPasteLines?: (text: string) => void
  inputMode?: 'numeric'
  placeholder?: string
  type?: 'text' | 'date'
  readOnly?: boolean
  class?: string
  lang?: string
}

/** A text field, with its translation beside it if it is `translated` and a second language is shown. */
export function TextField({ translated, ...props }: TextProps & { translated?: boolean }) {
  const { second } = useEditing()
  if (!translated || second === undefined) return <OneText {...props} />
  return (
    <div class={`two-languages${props.cell ? ' cell' : ''}`}>
      <OneText {...props} />
      {props.value === '' ? <span /> : <Translation {...props} language={second} />}
    </div>
  )
}

/** A translated text that may be missing. */
export function OptionalText({
  at,
  value = '',
  ...rest
}: Omit<FieldProps, 'optional'> & { value: string | undefined }) {
  const { document, edit } = useEditing()
  const change = (text: string): void => edit(withText(document, at, text), { typing: at })
  return <TextField {...rest} at={at} translated optional rows={2} value={value} change={change} />
}

function Translation({ at, label, rows, cell, language }: TextProps & { language: string }) {
  const { document, edit, seekMissing } = useEditing()
  const text = translationAt(document, at, language) ?? ''
  const place = translationPointer(at, language)
  return (
    <OneText
      label={`${label} in ${languageName(language)}`}
      at={place}
      {...(rows !== undefined && { rows })}
      {...(cell !== undefined && { cell })}
      {...(text === '' && { isMissing: true })}
      lang={language}
      placeholder="Not translated yet"
      value={text}
      change={typed => edit(withTranslation(document, at, language, typed), { typing: place })}
      onEnter={() => seekMissing(language, at)}
    />
  )
}

function OneText(props: TextProps & { isMissing?: boolean }) {
  const { value, change, rows, onEnter, onPasteLines, label, at, optional, hint, cell, isMissing, ...rest } = props
  const { type = 'text', ...input } = rest
  const shared = {
    ...input,
    value,
    dir: 'auto' as const,
    autocomplete: 'off',
    onInput: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || onEnter === undefined) return
      event.preventDefault()
      onEnter()
    },
    onPaste: (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text') ?? ''
      if (onPasteLines === undefined || !/\n\s*\S/.test(text)) return
      event.preventDefault()
      onPasteLines(text)
    },
  }
  return (
    <Field
      label={label}
      at={at}
      optional={optional ?? false}
      hint={hint}
      cell={cell ?? false}
      class={isMissing ? 'missing' : ''}
    >
      {tied =>
        rows === undefined ? (
          <input {...tied} {...shared} type={type as 'text'} />
        ) : (
          <textarea {...tied} {...shared} rows={rows} />
        )
      }
    </Field>
  )
}

/** An integer, or nothing. Anything else is kept as typed, and the check reports the error. */
export const NumberField = (
  props: FieldProps & { value: number | undefined; change: (value: number | undefined) => void },
) => (
  <TextField
    {...props}
    inputMode="numeric"
    value={String(props.value ?? '')}
    change={text => {
      const typed = text.trim()
      props.change(typed === '' ? undefined : ((/^-?\d{1,16}$/.test(typed) ? Number(typed) : typed) as number))
    }}
  />
)

export const SelectField = (
  props: FieldProps & {
    value: string
    choices: readonly { value: string; text: string; group?: string }[]
    change: (value: string) => void
  },
) => (
  <Field {...props}>
    {tied => (
      <select {...tied} value={props.value} onChange={event => props.change(event.currentTarget.value)}>
        {[...Map.groupBy(props.choices, ({ group }) => group)].map(([group, choices]) => {
          const options = choices.map(({ value, text }) => (
            <option value={value} selected={value === props.value}>
              {text}
            </option>
          ))
          return group === undefined ? options : <optgroup label={group}>{options}</optgroup>
        })}
      </select>
    )}
  </Field>
)

export const Tick = (props: {
  id: string
  text: string
  checked: boolean
  change: (checked: boolean) => void
  type?: 'radio' | 'checkbox'
  name?: string
}) => (
  <span class="choice">
    <input
      type={props.type ?? 'checkbox'}
      id={props.id}
      name={props.name ?? props.id}
      checked={props.checked}
      onChange={event => props.change(event.currentTarget.checked)}
    />
    <label for={props.id} dir="auto">
      {props.text}
    </label>
  </span>
)
