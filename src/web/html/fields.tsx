// The parts of forms: fields with their errors, and the error summary.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { isCalendarDate } from '../../domain/question-types/date.ts'
import { Words, zoneName } from './components.tsx'
import { Icon, type IconName } from './icon.tsx'
import { type FormState, usePage } from './page-context.ts'

/** The error of a field: `name` is that of a parameter, or the last step of a path into a document. */
export const errorOf = ({ errors }: FormState, name: string): string | undefined =>
  errors.find(({ parameter, path }) => parameter === name || path?.split('/').at(-1) === name)?.detail

/** The summary of errors at the top of a form, with a link to each field. */
export function ErrorSummary({ title = 'There is a problem' }: { title?: string }) {
  const { form } = usePage()
  if (form.errors.length === 0) return null
  return (
    <section class="notice bad" role="alert" aria-labelledby="errors" tabIndex={-1} autofocus>
      <h2 id="errors">{title}</h2>
      <ul>
        {form.errors.map(({ parameter, path, code, detail }) => (
          <li>
            <a href={`#${parameter ?? path?.split('/').at(-1) ?? 'content'}`} data-code={code}>
              <Words>{detail}</Words>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FieldProps {
  /** The form of the page by default. */
  form?: FormState
  name: string
  label: string
  hint?: ComponentChildren
  optional?: boolean
  /** The initial value. */
  value?: string
  /** Whether the field is a cell of a row. Its label is then for screen readers only. */
  cell?: boolean
}

/** The error of a field, if it has one. */
export function FieldError({ name, form = usePage().form }: Pick<FieldProps, 'name' | 'form'>) {
  const error = errorOf(form, name)
  if (error === undefined) return null
  return (
    <p class="error" id={`${name}-error`}>
      <Words>{error}</Words>
    </p>
  )
}

/** Marks a label as optional. */
export const Optional = ({ is }: { is: boolean | undefined }) => (is ? <span class="soft"> optional</span> : null)

/** Label, hint, field and error, connected for screen readers. */
function Labelled(
  props: FieldProps & {
    children: (described: {
      id: string
      name: string
      'aria-label'?: string
      'aria-describedby'?: string
      'aria-invalid'?: 'true'
    }) => ComponentChildren
  },
) {
  const { form = usePage().form, name, label, hint, optional, cell, children } = props
  const error = errorOf(form, name)
  const described = [hint === undefined ? '' : `${name}-hint`, error === undefined ? '' : `${name}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class={`field${cell ? ' cell' : ''}${error === undefined ? '' : ' wrong'}`}>
      {!cell && (
        <label for={name} dir="auto">
          {label}
          <Optional is={optional} />
        </label>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id: name,
        name,
        ...(cell && { 'aria-label': label }),
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(error === undefined ? {} : { 'aria-invalid': 'true' as const }),
      })}
      <FieldError name={name} form={form} />
    </div>
  )
}

export function TextField(
  props: FieldProps & {
    type?: 'text' | 'email' | 'password' | 'date' | 'number' | 'search'
    autocomplete?: string
    inputmode?: string
    maxLength?: number
    placeholder?: string
    /** Values to choose from; others can be entered too. */
    suggestions?: readonly string[]
  },
) {
  const { suggestions = [] } = props
  const { form = usePage().form, name, value = '', type = 'text', autocomplete, inputmode, maxLength } = props
  // Passwords are never sent back to the browser.
  const shown = type === 'password' ? '' : (form.values.get(name) ?? value)
  // A date field can't show anything but a date.
  const { timeZone } = usePage()
  const isNoDay = type === 'date' && shown !== '' && !isCalendarDate(shown)
  return (
    <Labelled {...props}>
      {tied => (
        <>
          <input
            {...tied}
            list={suggestions.length > 0 ? `${name}-suggestions` : undefined}
            // An input type that holds a text; the other attributes are the same for all of them.
            type={(isNoDay ? 'text' : type) as 'text'}
            value={shown}
            autocomplete={autocomplete}
            inputMode={inputmode as 'text' | undefined}
            maxLength={maxLength}
            placeholder={props.placeholder}
            spellcheck={props.cell ? undefined : false}
            title={type === 'date' ? `A day in ${zoneName(timeZone)}` : undefined}
          />
          {suggestions.length > 0 && (
            <datalist id={`${name}-suggestions`}>
              {suggestions.map(text => (
                <option value={text} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Labelled>
  )
}

export function TextArea(props: FieldProps & { rows?: number; mono?: boolean; autofocus?: boolean }) {
  const { form = usePage().form, name, value = '', rows = 4, mono, autofocus } = props
  return (
    <Labelled {...props}>
      {tied => (
        <textarea {...tied} rows={rows} class={mono ? 'mono' : undefined} spellcheck={!mono} autofocus={autofocus}>
          {form.values.get(name) ?? value}
        </textarea>
      )}
    </Labelled>
  )
}

export interface Choice {
  value: string
  text: string
  hint?: string
  /** In a select, the heading it is listed under. */
  group?: string
}

export function SelectField(props: FieldProps & { choices: readonly Choice[]; 'data-edit'?: string }) {
  const { form = usePage().form, name, value = '', choices } = props
  const chosen = form.values.get(name) ?? value
  const options = (some: readonly Choice[]) =>
    some.map(choice => (
      <option value={choice.value} selected={choice.value === chosen}>
        {choice.text}
      </option>
    ))
  return (
    <Labelled {...props}>
      {tied => (
        <select {...tied} data-edit={props['data-edit']}>
          {[...Map.groupBy(choices, ({ group }) => group)].map(([group, some]) =>
            group === undefined ? options(some) : <optgroup label={group}>{options(some)}</optgroup>,
          )}
        </select>
      )}
    </Labelled>
  )
}

/** Radio buttons, or checkboxes with `many`. `chosen` is the initial selection. */
export function Choices(
  props: Pick<FieldProps, 'form' | 'name' | 'hint' | 'optional'> & {
    legend: string
    choices: readonly Choice[]
    chosen: readonly string[]
    many?: boolean
    /** For a long list: selected items come first, and the rest is scrolled. With scripts, the list can be filtered and selected together. */
    long?: boolean
    /** For a long list: the value of the box that selects everything without scripts. `requests/read-form` interprets it. */
    all?: string
  },
) {
  const { form = usePage().form, name, legend, chosen, many, hint, optional, long, all } = props
  const error = errorOf(form, name)
  // If no box is ticked, the form doesn't contain the field; of radio buttons, one is always selected.
  const sent = many ? form.values.size > 0 : form.values.has(name)
  const on = new Set(sent ? form.values.getAll(name) : chosen)
  const [chosenFirst, rest] = [true, false].map(first => props.choices.filter(({ value }) => on.has(value) === first))
  const choices = long ? [...chosenFirst!, ...rest!] : props.choices
  return (
    <fieldset id={name} class={error === undefined ? 'field' : 'field wrong'} tabIndex={-1}>
      <legend dir="auto">
        {legend}
        <Optional is={optional} />
      </legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {long && (
        <div class="picking" data-picks={name} hidden>
          <input type="search" aria-label={`Filter ${legend.toLowerCase()}`} placeholder="Filter" />
          <button type="button" class="plain">
            Select all<span class="unseen"> shown {legend.toLowerCase()}</span>
          </button>
        </div>
      )}
      <div class={long ? 'picks' : undefined}>
        {long && all !== undefined && (
          <noscript>
            <input type="hidden" name={`shown:${name}`} value={choices.map(({ value }) => value).join(' ')} />
            <div class="choice">
              <input type="checkbox" id={`${name}-all`} name="all" value={name} />
              <label for={`${name}-all`}>{all}</label>
            </div>
          </noscript>
        )}
        {choices.map((choice, i) => (
          <ChoiceBox {...choice} id={`${name}-${i}`} name={name} many={many} checked={on.has(choice.value)} />
        ))}
      </div>
      <FieldError name={name} form={form} />
    </fieldset>
  )
}

function ChoiceBox(props: Choice & { id: string; name: string; many: boolean | undefined; checked: boolean }) {
  const { id, name, many, checked, value, text, hint } = props
  return (
    <div class="choice">
      <input type={many ? 'checkbox' : 'radio'} id={id} name={name} value={value} checked={checked} />
      <label for={id} dir="auto">
        {text}
        {hint !== undefined && <span class="hint">{hint}</span>}
      </label>
    </div>
  )
}

/** A form that changes something. It carries the session's CSRF token and the person who is signed in. */
export function ActionForm(props: {
  action: string
  /** Whether files are sent with it. */
  files?: boolean
  children: ComponentChildren
}) {
  const { action, files, children } = props
  const { csrf, person } = usePage()
  return (
    <form method="post" action={action} encType={files ? 'multipart/form-data' : undefined} noValidate>
      <input type="hidden" name="csrf" value={csrf} autocomplete="off" />
      {/* If the session ends before the form is sent, another person must not see what this one typed. */}
      <input type="hidden" name="typed_by" value={String(person?.person_id ?? '')} />
      {children}
    </form>
  )
}

/** A form's submit button. */
export function Submit(props: {
  /** Plain next to another button, quiet next to the page's content, danger for anything that is deleted. */
  look?: 'plain' | 'quiet' | 'danger'
  name?: string
  value?: string
  icon?: IconName
  text: string
  /** Text for screen readers only: distinguishes buttons with the same label. */
  unseen?: string
}) {
  const { look, icon, text, unseen, ...sent } = props
  return (
    <button type="submit" class={look} dir="auto" {...sent}>
      {icon !== undefined && <Icon name={icon} />}
      {text}
      {unseen !== undefined && <span class="unseen">{unseen}</span>}
    </button>
  )
}
