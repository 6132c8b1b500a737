// The rows of a form, such as options and lines of a condition: `option_text_0`, `option_text_1`, in their order on the page.
// Buttons that add, move or remove one send the whole form, which comes back rearranged; nothing is saved by them.

/** The fields of one row of each sort. Every row has the first. */
const members = { option: ['text', 'id'], when: ['what', 'operator', 'value'] } as const
type RowSort = keyof typeof members

/** The numbers of the rows that a form was sent with, in their order. */
export function sentRows(form: URLSearchParams, sort: RowSort): number[] {
  const pattern = new RegExp(`^${sort}_${members[sort][0]}_(\\d{1,4})$`)
  return [...form.keys()].flatMap(name => pattern.exec(name)?.[1] ?? []).map(Number)
}

type Row = Readonly<Record<string, readonly string[]>>

const readRows = (form: URLSearchParams, sort: RowSort): Row[] =>
  sentRows(form, sort).map(row =>
    Object.fromEntries(members[sort].map(member => [member, form.getAll(`${sort}_${member}_${row}`)])),
  )

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
  if (first === undefined) return
  const rows = readRows(form, 'option')
  const at = into === undefined ? -1 : sentRows(form, 'option').indexOf(into)
  if (rows[at]?.text?.join('') === '') rows.splice(at, 1, { ...rows[at], ...first }, ...more)
  else rows.push(first, ...more)
  const filled = rows.filter(({ text, id = '' }) => `${text}${id}` !== '')
  withRows(form, 'option', filled)
  form.delete('option_list')
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
