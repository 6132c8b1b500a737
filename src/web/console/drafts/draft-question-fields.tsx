// The fields of a question's form: what it says, its bounds and options, and when the program asks it.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'
import { Choices, errorOf, SelectField, TextArea, TextField } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { kindGroups } from '../programs/question-labels.ts'
import { earlierThan } from './condition-fields.ts'
import { ConditionFields } from './condition-rows.tsx'
import { OptionFields } from './option-rows.tsx'
import { type bounds, hasSetting } from './read-question-form.ts'

type Bound = (typeof bounds)[number]

const boundLabels: Readonly<Record<Bound, string>> = {
  min: 'At least',
  max: 'At most',
  min_length: 'Fewest characters',
  max_length: 'Most characters',
  min_count: 'Fewest',
  max_count: 'Most',
}

const boundPairs = [
  ['min', 'max'],
  ['min_length', 'max_length'],
  ['min_count', 'max_count'],
] as const

/**
 * Fields that questions of some kinds have. Of a new question all are there, and the style sheet shows those of the kind that is chosen;
 * what has an error is always shown.
 */
function OfKind(props: {
  kind: QuestionKind | undefined
  setting: Bound | 'options' | 'correct_addresses'
  children: ComponentChildren
}) {
  const { kind, setting, children } = props
  const { form } = usePage()
  if (kind !== undefined) return <>{hasSetting(kind, setting) && children}</>
  const names = boundPairs.find(([least]) => least === setting) ?? [setting]
  const faulty = names.some(name => errorOf(form, name) !== undefined)
  return <div class={faulty ? undefined : `of-kind of-${setting.replace('_', '-')}`}>{children}</div>
}

/** The settings that distinguish kinds, as the style sheet asks for them. */
const settingsOf = (kind: QuestionKind): string =>
  (['min', 'min_length', 'min_count', 'options', 'correct_addresses'] as const)
    .filter(setting => hasSetting(kind, setting))
    .map(setting => setting.replace('_', '-'))
    .join(' ')

/** What the form asks of a new question. */
export function KindField() {
  const { form } = usePage()
  const chosen = form.values.get('kind') ?? 'TEXT'
  return (
    <fieldset class="field kinds" id="kind" tabIndex={-1}>
      <legend>Kind of answer</legend>
      {kindGroups.map(({ label, kinds }) => (
        <fieldset>
          <legend class="soft">{label}</legend>
          <div class="tiles">
            {kinds.map(({ kind, label, hint }) => (
              <div class="tile">
                <input
                  type="radio"
                  id={`kind-${kind}`}
                  name="kind"
                  value={kind}
                  checked={kind === chosen}
                  data-settings={settingsOf(kind)}
                  aria-describedby={`kind-${kind}-hint`}
                />
                <label for={`kind-${kind}`}>{label}</label>
                <small id={`kind-${kind}-hint`}>{hint}</small>
              </div>
            ))}
          </div>
        </fieldset>
      ))}
    </fieldset>
  )
}

interface FieldsProps {
  definition: ProgramDefinition
  /** Undefined of a new question. */
  question?: QuestionDefinition | undefined
  placement?: PlacementDefinition | undefined
  screen: number
  /** What a new question is repeated under. */
  enumerator?: string | undefined
  /** Ids of options that exports have carried, which stay as they are. */
  published?: ReadonlySet<string>
}

/** What belongs to the answer: options, bounds. */
export function AnswerFields({ question, published = new Set() }: Pick<FieldsProps, 'question' | 'published'>) {
  const kind = question?.kind
  return (
    <>
      <OfKind kind={kind} setting="options">
        <OptionFields options={question?.options ?? []} published={published} />
      </OfKind>
      {boundPairs.map(pair => (
        <OfKind kind={kind} setting={pair[0]}>
          <div class="pair">
            {pair.map(bound => (
              <TextField
                name={bound}
                label={boundLabels[bound]}
                optional
                inputmode="numeric"
                value={String(question?.[bound] ?? '')}
              />
            ))}
          </div>
        </OfKind>
      ))}
      <OfKind kind={kind} setting="correct_addresses">
        <Choices
          name="correct_addresses"
          legend="Address correction"
          many
          chosen={question?.correct_addresses ? ['yes'] : []}
          choices={[{ value: 'yes', text: 'Addresses are corrected' }]}
        />
      </OfKind>
    </>
  )
}

/** How the program asks it: whether it must be answered, on which screen, when. */
export function AskingFields({ definition, question, placement, screen, enumerator }: FieldsProps) {
  const { values } = usePage().form
  return (
    <>
      <Choices
        name="optional"
        legend="Answering"
        many
        chosen={placement?.optional ? ['yes'] : []}
        choices={[{ value: 'yes', text: 'May be left unanswered' }]}
      />
      <TextArea name="help" label="Help" optional rows={2} value={question?.help ?? ''} />
      <SelectField
        name="screen"
        label="Screen"
        value={String(screen)}
        choices={definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))}
        data-edit="when-look"
      />
      {question === undefined && (
        <TextField
          name="new_screen"
          label="Or on a new screen"
          optional
          hint="Its heading. It comes after the others."
          maxLength={200}
        />
      )}
      <ConditionFields
        condition={placement?.visible_when}
        earlier={earlierThan(definition, {
          name: question?.admin_name,
          enumerator: question?.enumerator ?? enumerator,
          screen:
            (values.get('new_screen') ?? '') === '' ? Number(values.get('screen') ?? screen) : Number.POSITIVE_INFINITY,
        })}
      />
    </>
  )
}
