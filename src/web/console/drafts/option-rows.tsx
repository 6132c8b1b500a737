// The options of a question, a row each. Rows are moved, removed and added by buttons that bring the form back as it was typed. Long lists
// are one text.

/** @jsxImportSource preact */

import type { OptionDefinition } from '../../../domain/definitions/program-definition.ts'
import { errorOf, FieldError, TextArea, TextField } from '../../html/fields.tsx'
import { Icon, type IconName } from '../../html/icon.tsx'
import { usePage } from '../../html/page-context.ts'
import { optionLines, optionRowsMax, sentRows } from './form-rows.ts'

/** Rows without anything, for what is added. */
const blankRows = 3

interface OptionsProps {
  options: readonly OptionDefinition[]
  /** Ids of options that exports have carried. */
  published: ReadonlySet<string>
}

export function OptionFields(props: OptionsProps) {
  const { options } = props
  const { values } = usePage().form
  const isLong = values.size > 0 ? values.has('option_lines') : options.length > optionRowsMax
  const lines = isLong ? optionLines(options.map(({ admin_id, text }) => ({ id: admin_id, text }))) : undefined
  if (lines === undefined) return <OptionRows {...props} />
  return (
    <fieldset id="options" class="field rows" tabIndex={-1}>
      <legend>Options</legend>
      <FieldError name="options" />
      <TextArea
        name="option_lines"
        label="One option per line"
        hint={
          <>
            Id and text, as in <code>own | We own our home</code>. Leave out the id of a new option to generate it from
            the text. To clients, another id is another option: don’t change the id of an option that is published.
          </>
        }
        mono
        rows={20}
        value={lines}
      />
    </fieldset>
  )
}

function OptionRows({ options, published }: OptionsProps) {
  const { form } = usePage()
  const sent = sentRows(form.values, 'option')
  const isNew = options.length === 0
  const rows = form.values.size > 0 ? sent : [...Array(isNew ? blankRows : options.length).keys()]
  const error = errorOf(form, 'options')
  const shownIn = (row: number, member: 'text' | 'id'): string =>
    (form.values.size > 0
      ? form.values.get(`option_${member}_${row}`)
      : options[row]?.[member === 'id' ? 'admin_id' : 'text']) ?? ''
  return (
    <fieldset id="options" class={error === undefined ? 'field rows' : 'field rows wrong'} tabIndex={-1}>
      <legend>Options</legend>
      <p class="hint">A row each. The id is what exports carry: made of the text, and fixed once it is published.</p>
      <FieldError name="options" />
      <ol class="option-rows">
        {rows.map((row, i) => (
          <li>
            <TextField
              cell
              name={`option_text_${row}`}
              label={`Text of option ${i + 1}`}
              value={shownIn(row, 'text')}
              autocomplete="off"
            />
            {published.has(shownIn(row, 'id')) ? (
              <code>
                {shownIn(row, 'id')}
                <input type="hidden" name={`option_id_${row}`} value={shownIn(row, 'id')} />
              </code>
            ) : (
              <TextField
                cell
                name={`option_id_${row}`}
                label={`Id of option ${i + 1}`}
                value={shownIn(row, 'id')}
                placeholder="id: made of the text"
                autocomplete="off"
              />
            )}
            <span class="moves">
              <RowButton edit={`option-up-${row}`} icon="arrow-up" label={`Move option ${i + 1} up`} />
              <RowButton edit={`option-down-${row}`} icon="arrow-down" label={`Move option ${i + 1} down`} />
              <RowButton edit={`option-remove-${row}`} icon="trash-2" label={`Remove option ${i + 1}`} />
            </span>
          </li>
        ))}
      </ol>
      <button type="submit" class="quiet" name="edit" value="option-more" formNoValidate>
        <Icon name="plus" />
        Another option
      </button>
      <PastedList />
    </fieldset>
  )
}

const PastedList = () => (
  <details>
    <summary>Paste a list</summary>
    <TextArea name="option_list" label="A list, one option a line" optional rows={3} value="" />
    <button type="submit" class="plain" name="edit" value="option-paste">
      Make rows of it
    </button>
  </details>
)

/** A button that rearranges the rows of the form. */
export const RowButton = ({ edit, icon, label }: { edit: string; icon: IconName; label: string }) => (
  <button type="submit" class="quiet" id={edit} name="edit" value={edit} aria-label={label}>
    <Icon name={icon} />
  </button>
)
