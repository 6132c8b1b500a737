// The parts of a question's fields: label, hint, error and control, connected for screen readers.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { FieldView } from './field-view.ts'

export interface FieldProps {
  view: FieldView
  /** The name of the control, and its ID. */
  name: string
  label: ComponentChildren
  hint?: ComponentChildren
  optional?: boolean | undefined
}

/** A text of a program. If its language isn't the page's, it is marked with it and doesn't affect the direction of the text around it. */
export const Said = ({ text, language }: { text: string; language: string | undefined }) =>
  language === undefined ? <>{text}</> : <bdi lang={language}>{text}</bdi>

/** A question's hint, followed by a text of the page. */
export const joined = (hint: ComponentChildren, words: string) =>
  hint ? (
    <>
      {hint} {words}
    </>
  ) : (
    words
  )

export const Optional = ({ view, is }: { view: FieldView; is: boolean | undefined }) =>
  is ? <span class="soft"> ({view.words.optional})</span> : null

/** Says what a button or link is for, only for screen readers. */
export const Unseen = ({ text }: { text: ComponentChildren }) => (
  <span class="unseen" dir="auto">
    {' '}
    {text}
  </span>
)

export function FieldError({ view, name }: Pick<FieldProps, 'view' | 'name'>) {
  const error = view.errors.get(name)
  return error === undefined ? null : (
    <p class="error" id={`${name}-error`}>
      {error}
    </p>
  )
}

export const Hint = ({ name, text }: { name: string; text: ComponentChildren }) =>
  !text ? null : (
    <p class="hint" id={`${name}-hint`} dir="auto">
      {text}
    </p>
  )

/** The attributes that tie a control to its hint and error. */
export function tiesOf({ view, name, hint }: Pick<FieldProps, 'view' | 'name' | 'hint'>) {
  const isWrong = view.errors.has(name)
  const described = [hint ? `${name}-hint` : '', isWrong ? `${name}-error` : ''].filter(Boolean).join(' ')
  return {
    ...(described !== '' && { 'aria-describedby': described }),
    ...(isWrong && { 'aria-invalid': 'true' as const }),
  }
}

interface LabelledProps extends FieldProps {
  children: ComponentChildren
}

export function Labelled({ view, name, label, hint, optional, children }: LabelledProps) {
  return (
    <div class={view.errors.has(name) ? 'field wrong' : 'field'}>
      <label for={name} dir="auto">
        {label}
        <Optional view={view} is={optional} />
      </label>
      <Hint name={name} text={hint} />
      <FieldError view={view} name={name} />
      {children}
    </div>
  )
}

/** Fields that belong to one question, with its text as their legend. `name` is that of the group. */
export function Group({ view, name, label, hint, optional, children }: LabelledProps) {
  return (
    <fieldset
      id={name}
      class={view.errors.has(name) ? 'field wrong' : 'field'}
      tabIndex={-1}
      aria-describedby={tiesOf({ view, name, hint })['aria-describedby']}
    >
      <legend dir="auto">
        {label}
        <Optional view={view} is={optional} />
      </legend>
      <Hint name={name} text={hint} />
      <FieldError view={view} name={name} />
      {children}
    </fieldset>
  )
}

/** How a text is typed: the keyboard that a phone shows, and what a browser may fill in. */
export interface Typing {
  type?: 'text' | 'email' | 'tel' | 'url'
  inputMode?: 'text' | 'numeric' | 'decimal'
  autocomplete?: string | undefined
  /** Expected length of the text, for the control's width. */
  size?: 'short' | 'medium'
}

export function TextInput({ typing = {}, ...props }: FieldProps & { typing?: Typing }) {
  const { view, name } = props
  const { type = 'text', inputMode, autocomplete, size } = typing
  return (
    <Labelled {...props}>
      <input
        id={name}
        name={name}
        // One of the types whose value is text; they are treated alike.
        type={type as 'text'}
        value={view.values.get(name) ?? ''}
        inputMode={inputMode}
        autocomplete={autocomplete ?? 'off'}
        class={size}
        dir="auto"
        spellcheck={false}
        {...tiesOf(props)}
      />
    </Labelled>
  )
}

/** A text of several lines. */
export function TextBlock({ rows, ...props }: FieldProps & { rows: number }) {
  const { view, name } = props
  return (
    <Labelled {...props}>
      <textarea id={name} name={name} rows={rows} autocomplete="off" dir="auto" {...tiesOf(props)}>
        {view.values.get(name) ?? ''}
      </textarea>
    </Labelled>
  )
}

export interface Option {
  value: string
  text: string
}

export function Select({
  options,
  autocomplete,
  ...props
}: FieldProps & { options: readonly Option[]; autocomplete?: string }) {
  const { view, name } = props
  const chosen = view.values.get(name) ?? ''
  return (
    <Labelled {...props}>
      <select id={name} name={name} autocomplete={autocomplete ?? 'off'} {...tiesOf(props)}>
        <option value="">{view.words.choose}</option>
        {options.map(({ value, text }) => (
          <option value={value} selected={value === chosen} lang={view.languageOf?.(text)}>
            {text}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** Radio buttons, or checkboxes with `many`. The error link leads to the group. */
export function Choices({ options, many, ...props }: FieldProps & { options: readonly Option[]; many: boolean }) {
  const { view, name, optional } = props
  const chosen = new Set(view.values.getAll(name))
  // A selected radio button can't be cleared without an option for it.
  const shown = many || !optional ? options : [...options, { value: '', text: view.words.noAnswer }]
  return (
    <Group {...props}>
      {shown.map(({ value, text }, i) => (
        <div class="choice">
          <input
            type={many ? 'checkbox' : 'radio'}
            id={`${name}-${i}`}
            name={name}
            value={value}
            checked={chosen.has(value)}
            autocomplete="off"
          />
          <label for={`${name}-${i}`} dir="auto" lang={view.languageOf?.(text)}>
            {text}
          </label>
        </div>
      ))}
    </Group>
  )
}
