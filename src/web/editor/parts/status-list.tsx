// The statuses that applications can have: their order, their colors, and their names for applicants.

/** @jsxImportSource preact */

import { type StatusColor, statusColors } from '../../../domain/questions/program-version.ts'
import { fieldId, useEditing } from '../fields/editing.tsx'
import { FieldError, TextField, useErrorAt } from '../fields/editor-fields.tsx'
import { Handle, Rows } from '../fields/handle.tsx'
import { pastedLines } from '../model/naming.ts'
import { type StatusRow, statusRows, withStatusRows } from '../model/status-rows.ts'

export function Statuses() {
  const { document, edit, focus } = useEditing()
  const rows = statusRows(document)
  const set = (to: StatusRow[], typing?: string): void => edit(withStatusRows(document, to), { typing })
  const add = (texts: readonly string[], at: number): void => {
    set(rows.toSpliced(at, 0, ...texts.map(status => ({ status, at: 0 }))))
    if (texts.length === 1) focus(fieldId(`/statuses/${at}`))
  }
  return (
    <fieldset class="field rows" id={fieldId('/statuses')} tabIndex={-1}>
      <legend>Statuses</legend>
      <p class="hint">
        Administrators and program administrators choose from these statuses, in this order. Applicants see a status’s
        public name, if it has one.
      </p>
      <FieldError id={fieldId('/statuses')} text={useErrorAt('/statuses')} />
      <Rows kind="status" all={rows} nameOf={({ status }) => status} change={to => set(to)}>
        {rows.map((row, i) => (
          <Status
            row={row}
            index={i}
            set={(to, typing) => set(rows.with(i, to), typing)}
            add={texts => add(texts, i + 1)}
            remove={() => set(rows.toSpliced(i, 1))}
          />
        ))}
      </Rows>
      <button type="button" id={fieldId('/statuses/-')} class="plain add-status" onClick={() => add([''], rows.length)}>
        + Status
      </button>
    </fieldset>
  )
}

function Status(props: {
  row: StatusRow
  index: number
  set: (row: StatusRow, typing?: string) => void
  add: (texts: readonly string[]) => void
  remove: () => void
}) {
  const { row, index, set, add, remove } = props
  const { status, color = statusColors[0], public_name = '', at } = row
  return (
    <li class="status-row" data-item={String(index)}>
      <Handle id={`handle status ${index}`} name={status} />
      <TextField
        cell
        label={`Status ${index + 1}`}
        at={`/statuses/${index}`}
        value={status}
        change={text => set({ ...row, status: text }, `status ${index}`)}
        onEnter={() => add([''])}
        onPasteLines={text => add(pastedLines(text))}
      />
      <select
        aria-label={`Color of status ${index + 1}`}
        data-color={color}
        value={color}
        onChange={event => set({ ...row, color: event.currentTarget.value as StatusColor })}
      >
        {statusColors.map(statusColor => (
          <option value={statusColor}>{colorNames[statusColor]}</option>
        ))}
      </select>
      <button type="button" class="quiet" aria-label={`Remove status ${status}`} onClick={remove}>
        ✕
      </button>
      <TextField
        cell
        label={`Public name of status ${index + 1}`}
        at={`/status_details/${at}/public_name`}
        translated
        placeholder={status === '' ? '' : `Public name: ${status}`}
        value={public_name}
        change={text => set(withPublicName(row, text), `public name ${index}`)}
      />
    </li>
  )
}

const colorNames = { gray: 'Gray', blue: 'Blue', amber: 'Amber', green: 'Green', red: 'Red' } as const

/** Without a public name, there is nothing to translate. */
function withPublicName({ public_name: _, ...row }: StatusRow, text: string): StatusRow {
  if (text !== '') return { ...row, public_name: text }
  const { translations: __, ...rest } = row
  return rest
}
