// Edits when a question or screen is shown, as sentences: a question, a comparison, and one or more values.

/** @jsxImportSource preact */

import { askedByName, conditionText, operatorLabel } from '../../../domain/definitions/condition-text.ts'
import type { NamedCondition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { fieldId, useEditing } from '../fields/editing.tsx'
import { FieldError, SelectField, TextField, Tick, useErrorAt } from '../fields/editor-fields.tsx'
import {
  type ConditionLine,
  type ConditionLines,
  conditionOf,
  type LineOperator,
  lineOn,
  linesOf,
  type Target,
  takesSeveral,
  targetOf,
  targetsIn,
  typedValue,
} from '../model/condition-lines.ts'

export function ConditionEditor(props: {
  /** “question” or “screen”. */
  what: string
  /** The path of the condition in the document. */
  at: string
  condition: NamedCondition | null | undefined
  /** The questions that it may use. */
  earlier: readonly QuestionDefinition[]
  change: (condition: NamedCondition | undefined, typing?: string) => void
}) {
  const { what, at, condition, earlier, change } = props
  const { document } = useEditing()
  const error = useErrorAt(at, true)
  const said = linesOf(condition)
  const targets = targetsIn(earlier, said?.lines ?? [])
  const set = (lines: ConditionLines, typing?: string): void => change(conditionOf(lines), typing)
  // Usually, the nearest earlier question with options is meant.
  const nearest = targets.findLast(({ options }) => options !== undefined) ?? targets.at(-1)
  if (said?.lines.length === 0 && nearest === undefined)
    return <p class="soft field">To show this {what} only for some answers, add a question before it.</p>
  return (
    <fieldset class="field rows condition" id={fieldId(at)} tabIndex={-1}>
      <legend>Show this {what}</legend>
      <SelectField
        cell
        label={`Show this ${what}`}
        at={`${at}/when`}
        value={said?.lines.length === 0 ? 'always' : 'if'}
        choices={[
          { value: 'always', text: 'Always' },
          { value: 'if', text: 'Only if' },
        ]}
        change={mode =>
          mode === 'always' ? change(undefined) : nearest && set({ of: 'all', lines: [lineOn(nearest)] })
        }
      />
      {said === undefined ? (
        <p>
          {conditionText(condition!, askedByName(document.questions))}
          <small>This condition has groups within groups. Edit it in the document.</small>
        </p>
      ) : (
        <Lines at={at} said={said} targets={targets} nearest={nearest} set={set} />
      )}
      <FieldError id={fieldId(at)} text={error} />
    </fieldset>
  )
}

function Lines(props: {
  at: string
  said: ConditionLines
  targets: readonly Target[]
  nearest: Target | undefined
  set: (lines: ConditionLines, typing?: string) => void
}) {
  const { at, said, targets, nearest, set } = props
  return (
    <>
      {said.lines.length > 1 && (
        <SelectField
          cell
          label="Combine conditions"
          at={`${at}/of`}
          value={said.of}
          choices={[
            { value: 'all', text: 'all of these are true' },
            { value: 'any', text: 'any of these is true' },
          ]}
          change={of => set({ ...said, of: of as 'all' })}
        />
      )}
      {said.lines.map((line, i) => (
        <Line
          at={`${at}/${i}`}
          line={line}
          targets={targets}
          change={(changed, typing) => set({ ...said, lines: said.lines.with(i, changed) }, typing)}
          remove={() => set({ ...said, lines: said.lines.toSpliced(i, 1) })}
        />
      ))}
      {said.lines.length > 0 && nearest !== undefined && (
        <button type="button" class="quiet" onClick={() => set({ ...said, lines: [...said.lines, lineOn(nearest)] })}>
          + Condition
        </button>
      )}
    </>
  )
}

interface LineProps {
  at: string
  line: ConditionLine
  targets: readonly Target[]
  change: (line: ConditionLine, typing?: string) => void
  remove: () => void
}

const key = ({ question, field }: Pick<Target, 'question' | 'field'>): string => JSON.stringify([question, field])

function Line({ at, line, targets, change, remove }: LineProps) {
  const target = targetOf(targets, line)
  const compare = (operator: LineOperator): void => {
    const { values, field } = lineOn(target!)
    const kept = line.values.length > 0 ? line.values : values
    const fits = takesSeveral(operator) ? kept : kept.slice(0, 1)
    change({ ...line, field: line.field || field, operator, values: operator === 'answered' ? [] : fits })
  }
  return (
    <div class="condition-line">
      <SelectField
        cell
        label="Question"
        at={`${at}/question`}
        value={target === undefined ? '' : key(target)}
        choices={[
          ...(target === undefined ? [{ value: '', text: 'Choose a question' }] : []),
          ...targets.map(target => ({
            value: key(target),
            text: target.text.length > 80 ? `${target.text.slice(0, 79)}…` : target.text,
          })),
        ]}
        change={chosen => {
          const next = targets.find(target => key(target) === chosen)
          if (next !== undefined) change(lineOn(next))
        }}
      />
      {target !== undefined && (
        <SelectField
          cell
          label="Comparison"
          at={`${at}/operator`}
          value={line.operator}
          choices={target.operators.map(operator => ({ value: operator, text: operatorLabel[operator] }))}
          change={operator => compare(operator as LineOperator)}
        />
      )}
      {target !== undefined && line.operator !== 'answered' && (
        <Value at={at} line={line} target={target} change={change} />
      )}
      <button type="button" class="quiet" aria-label="Remove this condition" onClick={remove}>
        ✕
      </button>
    </div>
  )
}

/** Options as checkboxes or a menu; if there are too many, IDs are typed. */
const choicesMax = 200

function Value({ at, line, target, change }: Pick<LineProps, 'at' | 'line' | 'change'> & { target: Target }) {
  const { options, form } = target
  const isSeveral = takesSeveral(line.operator)
  const set = (values: ConditionLine['values'], typing?: string): void => change({ ...line, values }, typing)
  if (options === undefined || options.length > choicesMax)
    return (
      <TextField
        cell
        label="Value"
        at={`${at}/value`}
        type={form === 'date' && !isSeveral ? 'date' : 'text'}
        {...(isSeveral && { placeholder: 'Values, separated by commas' })}
        value={line.values.join(', ')}
        change={text => {
          const parts = isSeveral ? text.split(/,\s*/) : [text]
          set(
            parts.map(part => typedValue(form, part)),
            `${at}/value`,
          )
        }}
      />
    )
  // Values that are no longer options stay visible.
  const lost = line.values.filter(value => options.every(({ admin_id }) => admin_id !== value)).map(String)
  const choices = [...options, ...lost.map(admin_id => ({ admin_id, text: admin_id }))]
  if (!isSeveral)
    return (
      <SelectField
        cell
        label="Value"
        at={`${at}/value`}
        value={String(line.values[0] ?? '')}
        choices={choices.map(({ admin_id, text }) => ({ value: admin_id, text }))}
        change={value => set([value])}
      />
    )
  return (
    <fieldset class="ticks">
      <legend class="unseen">Values</legend>
      {choices.map(({ admin_id, text }) => (
        <Tick
          id={`${fieldId(at)}-${admin_id}`}
          text={text}
          checked={line.values.includes(admin_id)}
          change={checked =>
            set(checked ? [...line.values, admin_id] : line.values.filter(value => value !== admin_id))
          }
        />
      ))}
    </fieldset>
  )
}
