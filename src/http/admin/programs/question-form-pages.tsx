// A question of a draft as a form, and a question more.

/** @jsxImportSource preact */

import type { BankEntry } from '../../../db/program-overviews.ts'
import { operatorWords } from '../../../domain/definitions/condition-words.ts'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type {
  PlacementDefinition,
  ProgramDefinition,
  QuestionDefinition,
} from '../../../domain/definitions/program-definition.ts'
import type { VersionChange } from '../../../domain/definitions/version-diff.ts'
import { questionKinds } from '../../../domain/questions/question.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import {
  Choices,
  DeedForm,
  FaultSummary,
  type FormState,
  Notice,
  SelectField,
  TextArea,
  TextField,
} from '../../shell/parts.tsx'
import { conditionForm, lookable } from './condition-fields.ts'
import type { ProgramInView } from './program-in-view.ts'
import { Changes, type ProgramPageProps, ProgramShell, pathOfProgram, who } from './program-shell.tsx'
import { kindWords } from './questions-pages.tsx'
import { bounds, hasSetting } from './read-question-form.ts'

interface FieldsProps {
  form: FormState
  definition: ProgramDefinition
  question: QuestionDefinition
  placement: PlacementDefinition
  screen: number
}

const boundWords: Readonly<Record<(typeof bounds)[number], string>> = {
  min: 'At least',
  max: 'At most',
  min_length: 'Fewest characters',
  max_length: 'Most characters',
  min_count: 'At least, in number',
  max_count: 'At most, in number',
}

/** Lines without anything, for what is added. */
const blankRows = 3

function Fields(props: FieldsProps) {
  const { form, definition, question, placement, screen } = props
  return (
    <>
      <TextField form={form} name="text" label="Text" value={question.text} />
      <TextArea form={form} name="help" label="Help" optional rows={2} value={question.help ?? ''} />
      <div class="pair">
        {bounds
          .filter(bound => hasSetting(question.kind, bound))
          .map(bound => (
            <TextField
              form={form}
              name={bound}
              label={boundWords[bound]}
              optional
              inputmode="numeric"
              value={String(question[bound] ?? '')}
            />
          ))}
      </div>
      {hasSetting(question.kind, 'options') && <Options form={form} question={question} />}
      {hasSetting(question.kind, 'correct_addresses') && (
        <Choices
          form={form}
          name="correct_addresses"
          legend="Address correction"
          many
          chosen={question.correct_addresses ? ['yes'] : []}
          choices={[{ value: 'yes', text: 'Addresses are corrected' }]}
        />
      )}
      <Choices
        form={form}
        name="optional"
        legend="Answering"
        many
        chosen={placement.optional ? ['yes'] : []}
        choices={[{ value: 'yes', text: 'May be left unanswered' }]}
      />
      <SelectField
        form={form}
        name="screen"
        label="Screen"
        value={String(screen)}
        choices={definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))}
      />
      <Condition form={form} definition={definition} name={question.admin_name} placement={placement} />
    </>
  )
}

/** Numbers of the rows of a kind that a form was sent with. */
const sentRows = (form: FormState, pattern: RegExp): number[] =>
  [...form.values.keys()].flatMap(name => pattern.exec(name)?.[1] ?? []).map(Number)

function Options({ form, question }: { form: FormState; question: QuestionDefinition }) {
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
              form={form}
              name={`option_at_${row}`}
              label={`Place of ${what}`}
              inputmode="numeric"
              value={option && String(row + 1)}
            />
            <TextField form={form} name={`option_id_${row}`} label={`Id of ${what}`} value={option?.admin_id} />
            <TextField form={form} name={`option_text_${row}`} label={`Text of ${what}`} value={option?.text} />
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

function Condition(props: Pick<FieldsProps, 'form' | 'definition' | 'placement'> & { name: string }) {
  const { form, definition, placement, name } = props
  const stored = conditionForm(placement.visible_when)
  const sent = sentRows(form, /^when_what_(\d{1,3})$/)
  const rows = sent.length > 0 ? sent : [...Array(stored.lines.length + 1).keys()]
  const whats = lookable(earlierThan(definition, name))
  const chosenOf = (what: string | undefined): string => {
    if (what === undefined || whats.some(({ value }) => value === what)) return what ?? ''
    // Of a question that was only asked whether it was answered, any field will do.
    return (
      whats.find(({ value }) => (JSON.parse(value) as string[])[0] === (JSON.parse(what) as string[])[0])?.value ?? ''
    )
  }
  return (
    <fieldset class="field rows" id="condition" tabIndex={-1}>
      <legend>When it is asked</legend>
      <Choices
        form={form}
        name="when"
        legend="It is asked"
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
            form={form}
            name={`when_what_${row}`}
            label={`Question of line ${row + 1}`}
            value={chosenOf(stored.lines[row]?.what)}
            choices={[{ value: '', text: 'none' }, ...whats]}
          />
          <SelectField
            form={form}
            name={`when_operator_${row}`}
            label={`Comparison of line ${row + 1}`}
            value={stored.lines[row]?.operator ?? 'equal'}
            choices={Object.entries(operatorWords).map(([value, text]) => ({ value, text }))}
          />
          <TextField
            form={form}
            name={`when_value_${row}`}
            label={`Value of line ${row + 1}`}
            value={stored.lines[row]?.value}
            hint="An option’s id, a number, a date; several with commas."
          />
        </div>
      ))}
      {(stored.mode === 'document' || form.values.has('when_document')) && (
        <TextArea
          form={form}
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
function earlierThan(definition: ProgramDefinition, name: string): QuestionDefinition[] {
  const asked = definition.screens.flatMap(({ questions }) => questions.map(({ question }) => question))
  const at = asked.indexOf(name)
  const known = new Map(definition.questions.map(question => [question.admin_name, question]))
  return asked.slice(0, at < 0 ? undefined : at).map(one => known.get(one)!)
}

export interface EditedElsewhere {
  /** What saving the form now would change in what is stored. */
  differences: readonly VersionChange[]
}

export interface QuestionFormProps extends ProgramPageProps {
  view: ProgramInView
  form: FormState
  definition: ProgramDefinition
  conflict: EditedElsewhere | undefined
}

function ConflictNotice({ view, conflict }: { view: ProgramInView; conflict: EditedElsewhere }) {
  const { current } = view
  return (
    <Notice tone="bad">
      <h2>Somebody else saved meanwhile, so nothing was changed</h2>
      <p>
        {who(current.published_by ?? current.created_by)}{' '}
        {current.published_at === null ? 'saved draft' : 'published version'} {current.program_version_id}. Your fields
        are as you typed them. Saving again would change in what is stored now:
      </p>
      <Changes changes={conflict.differences} />
    </Notice>
  )
}

export function QuestionFormPage(
  props: QuestionFormProps & { question: QuestionDefinition; bank: BankEntry | undefined },
) {
  const { context, program, view, form, definition, question, conflict } = props
  const path = pathOfProgram(context, program.slug)
  const place = placeOf(definition, question.admin_name)!
  const placement = definition.screens[place.screen]!.questions[place.index]!
  const others = (props.bank?.uses ?? []).filter(({ slug, state }) => slug !== program.slug && state === 'ACTIVE')
  return (
    <ProgramShell
      context={context}
      program={program}
      now={props.now}
      tab="questions"
      title={question.text}
      changes={view.draft && view.changes.length}
    >
      <FaultSummary form={form} />
      {conflict !== undefined && <ConflictNotice view={view} conflict={conflict} />}
      <div class="card wide-form">
        <p class="soft">
          <span class="kind">{kindWords(question.kind)}</span>{' '}
          {question.kind === 'STATIC' ? (
            'Text to read: it has no answer and no key.'
          ) : (
            <>
              Key <code>{questionKey(question.admin_name)}</code> is fixed for ever; clients rely on it.
            </>
          )}
          {question.enumerator !== undefined && ` Asked in each of ${question.enumerator}.`}
        </p>
        {others.length > 0 && (
          <Notice tone="info">
            <strong>Also used by {others.map(({ display_name }) => display_name).join(', ')}.</strong> Publishing a
            change of text, help, bounds or options makes a new version of {others.length === 1 ? 'it' : 'them'} too;
            that is asked before.
          </Notice>
        )}
        <DeedForm csrf={context.csrf} action={`${path}/question`}>
          <input type="hidden" name="name" value={question.admin_name} />
          <input type="hidden" name="based_on" value={String(view.current.program_version_id)} />
          <Fields form={form} definition={definition} question={question} placement={placement} screen={place.screen} />
          <div class="deeds">
            <button type="submit">Keep in draft</button>
            <a class="button plain" href={`${path}/questions`}>
              Leave it
            </a>
            <button type="submit" name="deed" value="remove" class="danger">
              Remove from the program
            </button>
          </div>
        </DeedForm>
      </div>
    </ProgramShell>
  )
}

export function AddQuestionPage(props: QuestionFormProps & { banked: readonly BankEntry[]; search: string }) {
  const { context, program, view, form, definition, conflict } = props
  const path = pathOfProgram(context, program.slug)
  const enumerators = definition.questions.filter(({ kind }) => kind === 'ENUMERATOR')
  const screens = definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))
  const basis = <input type="hidden" name="based_on" value={String(view.current.program_version_id)} />
  return (
    <ProgramShell
      context={context}
      program={program}
      now={props.now}
      tab="questions"
      title="Add a question"
      changes={view.draft && view.changes.length}
    >
      <FaultSummary form={form} />
      {conflict !== undefined && <ConflictNotice view={view} conflict={conflict} />}
      <div class="columns">
        <section class="card">
          <h2>A new one</h2>
          <DeedForm csrf={context.csrf} action={`${path}/add-question`}>
            {basis}
            <TextField
              form={form}
              name="admin_name"
              label="Name for administrators"
              hint="Its key in exports is made of it, and neither can change later."
              maxLength={200}
            />
            <SelectField
              form={form}
              name="kind"
              label="Type"
              hint="What is asked for. It cannot change later."
              value="TEXT"
              choices={questionKinds.map(kind => ({ value: kind, text: kindWords(kind) }))}
            />
            <SelectField
              form={form}
              name="enumerator"
              label="Repeated under"
              value=""
              choices={[
                { value: '', text: 'nothing: it is asked once' },
                ...enumerators.map(({ admin_name }) => ({ value: admin_name, text: `each of ${admin_name}` })),
              ]}
            />
            <TextField form={form} name="text" label="Text" hint="What the applicant reads." />
            <TextArea
              form={form}
              name="options"
              label="Options"
              optional
              rows={4}
              hint="Of a question to select from: one a line, as id: text. For example rent: We rent our home."
            />
            <SelectField
              form={form}
              name="screen"
              label="Screen"
              value={String(screens.length - 1)}
              choices={screens}
            />
            <button type="submit">Add it to the draft</button>
          </DeedForm>
        </section>
        <section class="card">
          <h2>From the question bank</h2>
          <form class="filters" method="get" action={`${path}/add-question`}>
            <label class="unseen" for="q">
              Find a question of the bank
            </label>
            <input id="q" name="q" type="search" value={props.search} placeholder="Name, key or text" />
            <button type="submit" class="plain">
              Search
            </button>
          </form>
          {props.banked.length === 0 && <p class="soft">No other question matches.</p>}
          <ul class="plain-list">
            {props.banked.map(({ admin_name, kind, settings, enumerator }) => (
              <li>
                <DeedForm csrf={context.csrf} action={`${path}/add-question`}>
                  {basis}
                  <input type="hidden" name="banked" value={admin_name} />
                  <input type="hidden" name="screen" value={String(screens.length - 1)} />
                  <p>
                    <strong>{settings.text}</strong> <span class="kind">{kindWords(kind)}</span>
                    <small>
                      <code>{admin_name}</code>
                      {enumerator !== null && ` in each of ${enumerator}`}
                    </small>
                  </p>
                  <button type="submit" class="plain">
                    Add<span class="unseen"> {admin_name}</span> to the last screen
                  </button>
                </DeedForm>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </ProgramShell>
  )
}

export function ProgramSettingsPage(props: QuestionFormProps) {
  const { context, program, view, form, definition, conflict } = props
  const path = pathOfProgram(context, program.slug)
  return (
    <ProgramShell
      context={context}
      program={program}
      now={props.now}
      tab="settings"
      changes={view.draft && view.changes.length}
    >
      <FaultSummary form={form} />
      {conflict !== undefined && <ConflictNotice view={view} conflict={conflict} />}
      <div class="card narrow">
        <DeedForm csrf={context.csrf} action={`${path}/settings`}>
          <input type="hidden" name="based_on" value={String(view.current.program_version_id)} />
          <TextField
            form={form}
            name="display_name"
            label="Name"
            hint="What people read."
            value={definition.display_name}
          />
          <TextArea
            form={form}
            name="statuses"
            label="Statuses"
            optional
            rows={6}
            hint="What applications can be given, one a line, in the order in which they are offered."
            value={definition.statuses.join('\n')}
          />
          <p class="soft">Kept in the draft; both change when it is published.</p>
          <button type="submit">Keep in draft</button>
        </DeedForm>
      </div>
      <p>
        <a href={`${path}/retention`}>How long its applications are kept</a> is set apart from drafts, and holds at
        once.
      </p>
    </ProgramShell>
  )
}
