// When a question or a screen is shown, as rows: the question in its words, the comparisons that fit it, its options as a choice.

/** @jsxImportSource preact */

import { operatorLabel } from '../../../domain/definitions/condition-text.ts'
import type { NamedCondition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { Choices, errorOf, FieldError, SelectField, Submit, TextArea, TextField } from '../../html/fields.tsx'
import { Icon } from '../../html/icon.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { conditionForm, type Target, targetOf, targetsIn } from './condition-fields.ts'
import { sentRows } from './form-rows.ts'
import { RowButton } from './option-rows.tsx'

/** When a question or a screen is shown: lines that look at what is asked `earlier`, or a text where lines cannot say it. */
export function ConditionFields(props: {
  condition: NamedCondition | null | undefined
  earlier: readonly QuestionDefinition[]
  /** What it is that is shown, for the legend: “it is asked” unless given. */
  shown?: string
}) {
  const { condition, earlier, shown = 'it is asked' } = props
  const { values } = usePage().form
  const stored = conditionForm(condition)
  const lines =
    values.size > 0
      ? sentLines(values)
      : (stored.lines[0] ? stored.lines : [blankLine]).map((line, row) => ({ row, ...line }))
  const targets = targetsIn(
    earlier,
    lines.map(({ what }) => what),
  )
  const written = stored.mode === 'document' || values.has('when_document')
  if (targets.length === 0 && stored.mode === 'always' && values.size === 0)
    return (
      <p id="asking" class="soft">
        It can be made to depend on an answer once there is an earlier question.
      </p>
    )
  return (
    <div id="asking">
      <fieldset class="field rows condition" id="condition" tabIndex={-1}>
        <legend>When {shown}</legend>
        <Mode shown={shown} chosen={stored.mode} written={written} />
        <ol class="when-rows">
          {lines.map((line, i) => (
            <Line {...line} number={i + 1} targets={targets} />
          ))}
        </ol>
        <p>
          <button type="submit" class="quiet" id="when-more" name="edit" value="when-more">
            <Icon name="plus" />
            Another line
          </button>
        </p>
        {written && (
          <TextArea
            name="when_document"
            label="Condition as written in the document"
            mono
            rows={8}
            value={stored.document}
          />
        )}
      </fieldset>
    </div>
  )
}

/** Whether it is shown always, or when all or any of the lines hold. */
const Mode = ({ shown, chosen, written }: { shown: string; chosen: string; written: boolean }) => (
  <Choices
    name="when"
    legend={`${shown[0]!.toUpperCase()}${shown.slice(1)}`}
    chosen={[chosen]}
    choices={[
      { value: 'always', text: 'always' },
      { value: 'all', text: 'only when all of these hold' },
      { value: 'any', text: 'only when any of these holds' },
      ...(written ? [{ value: 'document', text: 'as written below, which is more than lines can say' }] : []),
    ]}
  />
)

const blankLine = { what: '', operator: '', values: [] }

const sentLines = (values: URLSearchParams) =>
  sentRows(values, 'when').map(row => ({
    row,
    what: values.get(`when_what_${row}`) ?? '',
    operator: values.get(`when_operator_${row}`) ?? '',
    values: values.getAll(`when_value_${row}`),
  }))

function Line(props: {
  row: number
  number: number
  what: string
  operator: string
  values: readonly string[]
  targets: readonly Target[]
}) {
  const { row, number, operator, targets } = props
  const target = targetOf(targets, props.what)
  const value = `when_value_${row}`
  const { form } = usePage()
  const asksValue = operator !== 'answered' || errorOf(form, value) !== undefined
  return (
    <li>
      <SelectField
        cell
        {...shownIn(form, `when_what_${row}`, target?.value ?? '')}
        label={`Question of line ${number}`}
        choices={[{ value: '', text: 'Choose a question' }, ...targets.map(shortly)]}
        data-edit="when-look"
      />
      {target === undefined ? (
        <>
          <Submit look="plain" name="edit" value="when-look" text="Continue" unseen={` with line ${number}`} />
          {/* What was entered before its question was taken away is kept, for the question chosen next. */}
          {[...props.values.map(one => [value, one] as const), [`when_operator_${row}`, operator] as const]
            .filter(([, one]) => one !== '')
            .map(([name, one]) => (
              <input type="hidden" name={name} value={one} />
            ))}
        </>
      ) : (
        <>
          <SelectField
            cell
            {...shownIn(form, `when_operator_${row}`, operator)}
            label={`Comparison of line ${number}`}
            choices={target.operators.map(one => ({ value: one, text: operatorLabel[one] }))}
            data-edit="when-look"
          />
          {/* Which fields a comparison takes: scripts ask for them as soon as it is chosen. */}
          <noscript>
            <Submit look="plain" name="edit" value="when-look" text="Update" unseen={` line ${number}`} />
          </noscript>
          {asksValue && target.form !== undefined && (
            <Value {...props} name={value} label={`Value of line ${number}`} target={target} />
          )}
        </>
      )}
      <RowButton edit={`when-remove-${row}`} icon="trash-2" label={`Remove line ${number}`} />
    </li>
  )
}

/** A field with this in it, whatever was sent under its name: lines are read as a whole. */
const shownIn = (form: FormState, name: string, value: string) => ({
  name,
  form: { ...form, values: new URLSearchParams({ [name]: value }) },
})

const shortly = ({ value, text }: Target) => ({ value, text: text.length > 80 ? `${text.slice(0, 79)}…` : text })

function Value(props: { name: string; label: string; target: Target; operator: string; values: readonly string[] }) {
  const { name, label, target, operator, values } = props
  const { options, form } = target
  const page = usePage().form
  if (options === undefined) {
    const several = operator === 'in' || operator.startsWith('includes')
    const isDate = form === 'date' && !several
    const isOption = form === 'option' || form === 'option_list'
    const placeholder = several ? `${isOption ? 'ids ' : ''}with commas` : isOption ? 'id of an option' : undefined
    return (
      <TextField
        cell
        {...shownIn(page, name, values.join(', '))}
        label={label}
        type={isDate ? 'date' : 'text'}
        placeholder={placeholder}
        autocomplete="off"
      />
    )
  }
  const isOne = operator === 'equal' || operator === 'not_equal' || operator === ''
  // Of several that were ticked for another comparison none is dropped: saving asks which one it is to be.
  const type = isOne && values.length < 2 ? 'radio' : 'checkbox'
  // What is no option any more stays to be seen, and is refused.
  const lost = values.filter(value => value !== '' && !options.some(({ admin_id }) => admin_id === value))
  return (
    <fieldset class={errorOf(page, name) === undefined ? 'ticks' : 'ticks wrong'} id={name} tabIndex={-1}>
      <legend class="unseen">{label}</legend>
      {[...options, ...lost.map(admin_id => ({ admin_id, text: admin_id }))].map(({ admin_id, text }, i) => (
        <span class="choice">
          <input type={type} id={`${name}-${i}`} name={name} value={admin_id} checked={values.includes(admin_id)} />
          <label for={`${name}-${i}`}>{text}</label>
        </span>
      ))}
      <FieldError name={name} />
    </fieldset>
  )
}
