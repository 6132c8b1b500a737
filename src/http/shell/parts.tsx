// The small parts that pages are made of: fields with their faults, tables that become cards, notices, times.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { formatOffsetTime, type Micros } from '../../domain/values/offset-time.ts'
import type { ProblemItem } from '../../problem.ts'

/** What a form was sent with, and what was wrong with it: it comes back as it was typed. */
export interface FormState {
  values: URLSearchParams
  faults: readonly ProblemItem[]
}

export const emptyForm: FormState = { values: new URLSearchParams(), faults: [] }

/** The fault of a field: `name` is that of a parameter, or the last step of a path into a document. */
export const faultOf = ({ faults }: FormState, name: string): string | undefined =>
  faults.find(({ parameter, path }) => parameter === name || path?.split('/').at(-1) === name)?.detail

/** Summary of what is wrong, on top of a form, with a link to each field. */
export function FaultSummary({ form, title = 'Some fields need another look' }: { form: FormState; title?: string }) {
  if (form.faults.length === 0) return null
  return (
    <section class="notice bad" role="alert" aria-labelledby="faults">
      <h2 id="faults">{title}</h2>
      <ul>
        {form.faults.map(({ parameter, path, detail }) => (
          <li>
            <a href={`#${parameter ?? path?.split('/').at(-1) ?? 'content'}`}>{detail}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FieldProps {
  form: FormState
  name: string
  label: string
  hint?: ComponentChildren
  optional?: boolean
  /** What stands in the field when nothing was sent yet. */
  value?: string
}

/** Label, hint, field and fault, tied together for those who hear the page. */
function Labelled({
  form,
  name,
  label,
  hint,
  optional,
  children,
}: FieldProps & {
  children: (described: {
    id: string
    name: string
    'aria-describedby'?: string
    'aria-invalid'?: 'true'
  }) => ComponentChildren
}) {
  const fault = faultOf(form, name)
  const described = [hint === undefined ? '' : `${name}-hint`, fault === undefined ? '' : `${name}-fault`]
    .filter(Boolean)
    .join(' ')
  return (
    <div class={fault === undefined ? 'field' : 'field wrong'}>
      <label for={name}>
        {label}
        {optional && <span class="soft"> optional</span>}
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id: name,
        name,
        ...(described === '' ? {} : { 'aria-describedby': described }),
        ...(fault === undefined ? {} : { 'aria-invalid': 'true' as const }),
      })}
      {fault !== undefined && (
        <p class="fault" id={`${name}-fault`}>
          {fault}
        </p>
      )}
    </div>
  )
}

export function TextField(
  props: FieldProps & {
    type?: 'text' | 'email' | 'password' | 'date' | 'number' | 'search'
    autocomplete?: string
    inputmode?: string
    maxLength?: number
  },
) {
  const { form, name, value = '', type = 'text', autocomplete, inputmode, maxLength } = props
  // A password is not sent back to be shown again.
  const shown = type === 'password' ? '' : (form.values.get(name) ?? value)
  return (
    <Labelled {...props}>
      {tied => (
        <input
          {...tied}
          // One of the types that hold a text; which one makes no difference to the rest.
          type={type as 'text'}
          value={shown}
          autocomplete={autocomplete ?? 'off'}
          inputMode={inputmode as 'text' | undefined}
          maxLength={maxLength}
          spellcheck={false}
        />
      )}
    </Labelled>
  )
}

export function TextArea(props: FieldProps & { rows?: number; mono?: boolean }) {
  const { form, name, value = '', rows = 4, mono } = props
  return (
    <Labelled {...props}>
      {tied => (
        <textarea {...tied} rows={rows} class={mono ? 'mono' : undefined} spellcheck={!mono}>
          {form.values.get(name) ?? value}
        </textarea>
      )}
    </Labelled>
  )
}

interface Choice {
  value: string
  text: string
  hint?: string
}

export function SelectField(props: FieldProps & { choices: readonly Choice[] }) {
  const { form, name, value = '', choices } = props
  const chosen = form.values.get(name) ?? value
  return (
    <Labelled {...props}>
      {tied => (
        <select {...tied}>
          {choices.map(choice => (
            <option value={choice.value} selected={choice.value === chosen}>
              {choice.text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

/** Radio buttons, or check boxes with `many`. `chosen` is what is on when nothing was sent yet. */
export function Choices({
  form,
  name,
  legend,
  choices,
  chosen,
  many,
  hint,
}: {
  form: FormState
  name: string
  legend: string
  choices: readonly Choice[]
  chosen: readonly string[]
  many?: boolean
  hint?: ComponentChildren
}) {
  const fault = faultOf(form, name)
  const sent = [...form.values.keys()].length > 0
  const on = new Set(sent ? form.values.getAll(name) : chosen)
  return (
    <fieldset id={name} class={fault === undefined ? 'field' : 'field wrong'} tabIndex={-1}>
      <legend>{legend}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {choices.map((choice, i) => (
        <div class="choice">
          <input
            type={many ? 'checkbox' : 'radio'}
            id={`${name}-${i}`}
            name={name}
            value={choice.value}
            checked={on.has(choice.value)}
          />
          <label for={`${name}-${i}`}>
            {choice.text}
            {choice.hint !== undefined && <span class="hint">{choice.hint}</span>}
          </label>
        </div>
      ))}
      {fault !== undefined && <p class="fault">{fault}</p>}
    </fieldset>
  )
}

/** A form that does something. It carries the token of its session. */
export function DeedForm(props: { csrf: string; action: string; id?: string; children: ComponentChildren }) {
  return (
    <form method="post" action={props.action} id={props.id} noValidate>
      <input type="hidden" name="csrf" value={props.csrf} />
      {props.children}
    </form>
  )
}

export type Tone = 'info' | 'attention' | 'good' | 'bad'

/** Something the page says before all else. */
export const Notice = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)

export const Badge = ({ tone, children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={tone === undefined ? 'badge' : `badge ${tone}`}>{children}</span>
)

export interface Column<Row> {
  head: string
  cell: (row: Row) => ComponentChildren
  /** Figures, set flush right. */
  figures?: boolean
}

/** A table on a wide screen, cards on a narrow one: each cell says its column's name there. */
export function Table<Row>(props: {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** What to do when there is nothing. */
  empty: ComponentChildren
}) {
  if (props.rows.length === 0) return <div class="card empty">{props.empty}</div>
  return (
    <div class="card table">
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.columns.map(({ head, figures }) => (
              <th scope="col" class={figures ? 'figures' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(row => (
            <tr>
              {props.columns.map(({ head, cell, figures }) => (
                <td data-head={head} class={figures ? 'figures' : undefined}>
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Links that look like tabs; each is a page of its own. */
export function Tabs(props: {
  label: string
  tabs: readonly { text: string; path: string; count?: number; current: boolean }[]
}) {
  return (
    <nav class="tabs" aria-label={props.label}>
      {props.tabs.map(({ text, path, count, current }) => (
        <a href={path} aria-current={current ? 'page' : undefined}>
          {text}
          {count !== undefined && <span class="count">{figures(count)}</span>}
        </a>
      ))}
    </nav>
  )
}

/** 128,440. */
export const figures = (value: number): string => value.toLocaleString('en-US')

const dates = new Map<string, { day: Intl.DateTimeFormat; minute: Intl.DateTimeFormat }>()

function formatsOf(timeZone: string) {
  let found = dates.get(timeZone)
  if (found === undefined) {
    const day = { timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const
    const minute = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
    found = { day: new Intl.DateTimeFormat('en-GB', day), minute: new Intl.DateTimeFormat('en-GB', minute) }
    dates.set(timeZone, found)
  }
  return found
}

/** A time in the instance's zone, to the day or the minute; the exact instant shows on hover. */
export function When({ at, timeZone, day, said }: { at: Micros; timeZone: string; day?: boolean; said?: string }) {
  const exact = formatOffsetTime(at, timeZone)
  const formats = formatsOf(timeZone)
  return (
    <time dateTime={exact} title={exact}>
      {said ?? (day ? formats.day : formats.minute).format(at / 1000)}
    </time>
  )
}

/** `in 85 days`, `2 minutes ago`: how far an instant is from now. */
export function distance(at: Micros, now: Micros): string {
  const seconds = Math.round((at - now) / 1_000_000)
  const steps = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? steps[3]
  return relative.format(Math.trunc(seconds / length), unit)
}
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
