// The rows of a form, such as options and lines of a condition: `option_text_0`, `option_text_1`, in their order on the page.
// Buttons that add, move or remove one send the whole form, which comes back rearranged; nothing is saved by them. Many options are one
// text in place of rows, `option_lines`: a browser and the service take seconds for thousands of fields.

/** The fields of one row of each sort. Every row has the first. */
const members = { option: ['text', 'id'], when: ['what', 'operator', 'value'] } as const
type RowSort = keyof typeof members

/** The most options that are rows. */
export const optionRowsMax = 100

/** The numbers of the rows that a form was sent with, in their order. */
export function sentRows(form: URLSearchParams, sort: RowSort): number[] {
  const pattern = new RegExp(`^${sort}_${members[sort][0]}_(\\d{1,4})$`)
  return [...form.keys()].flatMap(name => pattern.exec(name)?.[1] ?? []).map(Number)
}

type Row = Readonly<Record<string, readonly string[]>>

/** Rows by their numbers, in their order. Each field is looked at once: to find one by its name, a form looks at all of them. */
function numberedRows(form: URLSearchParams, sort: RowSort): [row: number, fields: Row][] {
  const pattern = new RegExp(`^${sort}_(${members[sort].join('|')})_(\\d{1,4})$`)
  const rows = new Map<string, Record<string, string[]>>()
  for (const [name, value] of form) {
    const [, member, row] = pattern.exec(name) ?? []
    if (member === undefined) continue
    const fields = rows.get(row!) ?? Object.fromEntries(members[sort].map(one => [one, []]))
    fields[member]!.push(value)
    rows.set(row!, fields)
  }
  return sentRows(form, sort).map(row => [row, rows.get(String(row))!])
}

const readRows = (form: URLSearchParams, sort: RowSort): Row[] => numberedRows(form, sort).map(([, fields]) => fields)

/** An option that a form was sent with. */
export interface SentOption {
  /** Undefined of one that is a line. */
  row: number | undefined
  id: string
  text: string
}

/** The options in their order. A row or line with nothing in it is none. */
export const sentOptions = (form: URLSearchParams): SentOption[] =>
  [
    ...linesIn(form),
    ...numberedRows(form, 'option').map(([row, { id = [], text = [] }]) => ({
      row,
      id: id[0] ?? '',
      text: text[0] ?? '',
    })),
  ]
    .map(({ row, id, text }) => ({ row, id: id.trim(), text: text.trim() }))
    .filter(({ id, text }) => `${id}${text}` !== '')

const linesIn = (form: URLSearchParams): SentOption[] =>
  (form.get('option_lines') ?? '').split(/\r?\n/).map(line => {
    const [, id = '', text = line] = /^([^|]*)\|(.*)$/.exec(line) ?? []
    return { row: undefined, id, text }
  })

export const inOneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ').trim()

/** `own | We own our home`, one a line; undefined where an id could not be read back. */
export const optionLines = (options: readonly Pick<SentOption, 'id' | 'text'>[]): string | undefined =>
  options.some(({ id }) => /[|\r\n]/.test(id))
    ? undefined
    : options.map(({ id, text }) => `${id} | ${inOneLine(text)}\n`.replace(/^ \| (?=[^|]*$)/, '')).join('')

/** The form with these rows in place of those that it has. */
function withRows(form: URLSearchParams, sort: RowSort, rows: readonly Row[]): void {
  for (const row of sentRows(form, sort)) for (const member of members[sort]) form.delete(`${sort}_${member}_${row}`)
  for (const [row, fields] of rows.entries())
    for (const [member, values] of Object.entries(fields))
      for (const value of values) form.append(`${sort}_${member}_${row}`, value)
}

/** What a list that was pasted says, a line an option; without what marks the items of a list. */
const pastedLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map(line => line.replace(/^\s*(?:[-*•]|\d{1,3}[.)])\s+/, '').trim())
    .filter(line => line !== '')

/** Makes rows of a list that was pasted: from this row on where that has no text, else after those that have something in them. */
export function takePasted(form: URLSearchParams, into?: number): void {
  const [first, ...more] = pastedLines(form.get('option_list') ?? '').map(line => ({ text: [line] }))
  const rows = readRows(form, 'option')
  if (first !== undefined) {
    const at = into === undefined ? -1 : sentRows(form, 'option').indexOf(into)
    if (rows[at]?.text?.join('') === '') rows.splice(at, 1, { ...rows[at], ...first }, ...more)
    else rows.push(first, ...more)
    form.delete('option_list')
  }
  const filled = rows.filter(({ text, id = '' }) => `${text}${id}` !== '')
  const isLong = filled.length > optionRowsMax || form.has('option_lines')
  const lines = isLong ? linesWith(form, filled) : undefined
  if (lines !== undefined) form.set('option_lines', lines)
  if (lines !== undefined) withRows(form, 'option', [])
  else if (first !== undefined) withRows(form, 'option', filled)
}

/** The lines of a form, followed by these rows. */
function linesWith(form: URLSearchParams, rows: readonly Row[]): string | undefined {
  if (rows.length === 0) return form.get('option_lines') ?? ''
  const options = rows.map(({ id = [], text = [] }) => ({ id: id[0] ?? '', text: text[0] ?? '' }))
  return optionLines([...linesIn(form).filter(({ id, text }) => `${id}${text}`.trim() !== ''), ...options])
}

/** The form as a button rearranges it: `option-more`, `option-up-3`, `when-remove-0`. */
export function rearrange(form: URLSearchParams, button: string): void {
  const into = /^option-paste-(\d{1,4})$/.exec(button)?.[1]
  takePasted(form, into === undefined ? undefined : Number(into))
  const [, sort, to, at = ''] = /^(option|when)-(more|up|down|remove)(?:-(\d{1,4}))?$/.exec(button) ?? []
  if (sort !== 'option' && sort !== 'when') return
  const rows = readRows(form, sort)
  const index = sentRows(form, sort).indexOf(Number(at))
  if (to === 'more') rows.push({ [members[sort][0]]: [''] })
  else if (index >= 0) {
    const [row] = rows.splice(index, 1)
    if (to !== 'remove') rows.splice(Math.max(0, index + (to === 'up' ? -1 : 1)), 0, row!)
  }
  withRows(form, sort, rows)
}
