// The fields of a question's form: what it says, its bounds and options, and when it is asked.

/** @jsxImportSource preact */

import { operatorLabel } from '../../domain/definitions/condition-text.ts'
import type {
  NamedCondition,
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../domain/definitions/program-definition.ts'
import { Choices, SelectField, TextArea, TextField } from '../../html/fields.tsx'
import { type FormState, usePage } from '../../html/page-context.ts'
import { conditionForm, lookable } from './condition-fields.ts'
import { bounds, hasSetting } from './read-question-form.ts'

interface FieldsProps {
  definition: ProgramDefinition
  question: QuestionDefinition
  placement: PlacementDefinition
  screen: number
}

export const boundLabels: Readonly<Record<(typeof bounds)[number], string>> = {
  min: 'At least',
  max: 'At most',
  min_length: 'Fewest characters',
  max_length: 'Most characters',
  min_count: 'At least, in number',
  max_count: 'At most, in number',
}

/** Lines without anything, for what is added. */
const blankRows = 3

export function QuestionFields(props: FieldsProps) {
  const { definition, question, placement, screen } = props
  return (
    <>
      <TextField name="text" label="Text" value={question.text} />
      <TextArea name="help" label="Help" optional rows={2} value={question.help ?? ''} />
      <div class="pair">
        {bounds
          .filter(bound => hasSetting(question.kind, bound))
          .map(bound => (
            <TextField
              name={bound}
              label={boundLabels[bound]}
              optional
              inputmode="numeric"
              value={String(question[bound] ?? '')}
            />
          ))}
      </div>
      {hasSetting(question.kind, 'options') && <Options question={question} />}
      {hasSetting(question.kind, 'correct_addresses') && (
        <Choices
          name="correct_addresses"
          legend="Address correction"
          many
          chosen={question.correct_addresses ? ['yes'] : []}
          choices={[{ value: 'yes', text: 'Addresses are corrected' }]}
        />
      )}
      <Choices
        name="optional"
        legend="Answering"
        many
        chosen={placement.optional ? ['yes'] : []}
        choices={[{ value: 'yes', text: 'May be left unanswered' }]}
      />
      <SelectField
        name="screen"
        label="Screen"
        value={String(screen)}
        choices={definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))}
      />
      <ConditionFields condition={placement.visible_when} earlier={earlierThan(definition, question.admin_name)} />
    </>
  )
}

/** Numbers of the rows of a kind that a form was sent with. */
const sentRows = (form: FormState, pattern: RegExp): number[] =>
  [...form.values.keys()].flatMap(name => pattern.exec(name)?.[1] ?? []).map(Number)

function Options({ question }: { question: QuestionDefinition }) {
  const { form } = usePage()
  const options = question.options ?? []
  const sent = sentRows(form, /^option_id_(\d{1,4})$/)
  const rows = sent.length > 0 ? sent : [...Array(options.length + blankRows).keys()]
  return (
    <fieldset id="options" class="field rows" tabIndex={-1}>
      <legend>Options</legend>
      <p class="hint">
        The id is what exports carry, for ever: an option that is removed stays in what was submitted. Save to get more
        empty lines.
      </p>
      {rows.map(row => {
        const option = options[row]
        const what = option?.admin_id ?? `new option ${row + 1 - options.length}`
        return (
          <div class="option-row">
            <TextField
              name={`option_at_${row}`}
              label={`Place of ${what}`}
              inputmode="numeric"
              value={option && String(row + 1)}
            />
            <TextField name={`option_id_${row}`} label={`Id of ${what}`} value={option?.admin_id} />
            <TextField name={`option_text_${row}`} label={`Text of ${what}`} value={option?.text} />
            {option !== undefined && (
              <div class="choice">
                <input
                  type="checkbox"
                  id={`option_gone_${row}`}
                  name={`option_gone_${row}`}
                  value="yes"
                  checked={form.values.has(`option_gone_${row}`)}
                />
                <label for={`option_gone_${row}`}>
                  Remove<span class="unseen"> {what}</span>
                </label>
              </div>
            )}
          </div>
        )
      })}
    </fieldset>
  )
}

/** When a question or a screen is shown: lines that look at what is asked `earlier`, or a text where lines cannot say it. */
export function ConditionFields(props: {
  condition: NamedCondition | null | undefined
  earlier: readonly QuestionDefinition[]
  /** What it is that is shown, for the legend: “it is asked” unless given. */
  shown?: string
}) {
  const { condition, earlier, shown = 'it is asked' } = props
  const { form } = usePage()
  const stored = conditionForm(condition)
  const sent = sentRows(form, /^when_what_(\d{1,3})$/)
  const rows = sent.length > 0 ? sent : [...Array(stored.lines.length + 1).keys()]
  const whats = lookable(earlier)
  const chosenOf = (what: string | undefined): string => {
    if (what === undefined || whats.some(({ value }) => value === what)) return what ?? ''
    // Of a question that was only asked whether it was answered, any field will do.
    return (
      whats.find(({ value }) => (JSON.parse(value) as string[])[0] === (JSON.parse(what) as string[])[0])?.value ?? ''
    )
  }
  return (
    <fieldset class="field rows" id="condition" tabIndex={-1}>
      <legend>When {shown}</legend>
      <Choices
        name="when"
        legend={`${shown[0]!.toUpperCase()}${shown.slice(1)}`}
        chosen={[stored.mode]}
        choices={[
          { value: 'always', text: 'always' },
          { value: 'all', text: 'when all of these lines hold' },
          { value: 'any', text: 'when any of these lines holds' },
          ...(stored.mode === 'document' || form.values.has('when_document')
            ? [{ value: 'document', text: 'as written below, which is more than lines can say' }]
            : []),
        ]}
      />
      {rows.map(row => (
        <div class="option-row">
          <SelectField
            name={`when_what_${row}`}
            label={`Question of line ${row + 1}`}
            value={chosenOf(stored.lines[row]?.what)}
            choices={[{ value: '', text: 'none' }, ...whats]}
          />
          <SelectField
            name={`when_operator_${row}`}
            label={`Comparison of line ${row + 1}`}
            value={stored.lines[row]?.operator ?? 'equal'}
            choices={Object.entries(operatorLabel).map(([value, text]) => ({ value, text }))}
          />
          <TextField
            name={`when_value_${row}`}
            label={`Value of line ${row + 1}`}
            value={stored.lines[row]?.value}
            hint="An option’s id, a number, a date; several with commas."
          />
        </div>
      ))}
      {(stored.mode === 'document' || form.values.has('when_document')) && (
        <TextArea
          name="when_document"
          label="Condition as written in the document"
          mono
          rows={8}
          value={stored.document}
        />
      )}
    </fieldset>
  )
}

/** The questions asked before this one; all, when it is asked nowhere yet. */
export function earlierThan(definition: ProgramDefinition, name: string): QuestionDefinition[] {
  const asked = definition.screens.flatMap(({ questions }) => questions.map(({ question }) => question))
  const at = asked.indexOf(name)
  const known = new Map(definition.questions.map(question => [question.admin_name, question]))
  return asked.slice(0, at < 0 ? undefined : at).map(one => known.get(one)!)
}
