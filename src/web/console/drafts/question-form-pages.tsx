// A question of a draft as a form, a new one as a form, and those of the bank as a list to choose from.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { BankEntry } from '../../../db/programs/program-overviews.ts'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { DoneNotice, figures, LinkButton, Notice } from '../../html/components.tsx'
import { ActionForm, SelectField, Submit, TextArea, TextField } from '../../html/fields.tsx'
import { SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { pathOfProgram } from '../programs/program-shell.tsx'
import { kindLabel } from '../programs/question-labels.ts'
import { Basis, type DraftFormProps, DraftFormShell, EnterButton, KeepButton, SaveButtons } from './draft-form.tsx'
import { AnswerFields, AskingFields, KindField } from './draft-question-fields.tsx'
import { AsSeen } from './question-as-seen.tsx'
import { newBase } from './read-question-form.ts'

/** What the applicant reads and answers on one side, how the program asks it on the other. */
const TwoSides = ({ left, right }: { left: ComponentChildren; right: ComponentChildren }) => (
  <div class="columns sides">
    <div class="card">{left}</div>
    <div class="card">{right}</div>
  </div>
)

export function QuestionFormPage(
  props: DraftFormProps & { question: QuestionDefinition; bank: BankEntry | undefined },
) {
  const { view, definition, question, bank, conflict } = props
  const path = pathOfProgram(view.program.slug)
  const place = placeOf(definition, question.admin_name)!
  const placement = definition.screens[place.screen]!.questions[place.index]!
  const asked = bank?.uses.some(({ state }) => state === 'ACTIVE') ? bank.settings.options : undefined
  const published = new Set(asked?.map(({ admin_id }) => admin_id))
  return (
    <DraftFormShell {...props} tab="questions" title={question.text} scripts={['/assets/rearrange.js']}>
      <p class="soft">
        <span class="kind">{kindLabel(question.kind)}</span>{' '}
        {question.kind === 'STATIC' ? (
          'Text to read: it has no answer and no key.'
        ) : (
          <>
            Key <code>{questionKey(question.admin_name)}</code> never changes; clients rely on it.
          </>
        )}
        {question.enumerator !== undefined && ` Asked in each of ${question.enumerator}.`}
      </p>
      <AlsoUsed view={view} bank={bank} />
      <ActionForm action={`${path}/question`}>
        <EnterButton />
        <input type="hidden" name="name" value={question.admin_name} />
        <Basis {...props} />
        <TwoSides
          left={
            <>
              <TextArea name="text" label="What the applicant reads" rows={2} value={question.text} />
              <AnswerFields question={question} published={published} />
            </>
          }
          right={
            <>
              <AskingFields definition={definition} question={question} placement={placement} screen={place.screen} />
              <AsSeen
                base={question}
                before={question}
                definition={definition}
                optional={placement.optional ?? false}
              />
            </>
          }
        />
        <div class="actions">
          <SaveButtons view={view} conflict={conflict} />
          <LinkButton href={`${path}/questions`} text="Cancel" />
          <Submit look="danger" name="action" value="remove" text="Remove from the program" />
        </div>
      </ActionForm>
    </DraftFormShell>
  )
}

function AlsoUsed({ view, bank }: Pick<DraftFormProps, 'view'> & { bank: BankEntry | undefined }) {
  const others = (bank?.uses ?? []).filter(({ slug, state }) => slug !== view.program.slug && state === 'ACTIVE')
  if (others.length === 0) return null
  const names = others.map(({ display_name }) => display_name).join(', ')
  return (
    <Notice name="shared" tone="info">
      <strong>Also used by {others.length > 5 ? `${figures(others.length)} other programs` : names}.</strong> Publishing
      a change of text, help, bounds or options makes a new version of {others.length === 1 ? 'it' : 'them'} too; that
      is asked before.
      {others.length > 5 && (
        <details>
          <summary>Which programs</summary>
          {names}
        </details>
      )}
    </Notice>
  )
}

const doneTexts = { saved: 'Kept in the draft. Here is the next one.' }

/** Where a new question goes: what its form is opened for, or what it was sent with. */
interface NewPlace {
  screen: number
  /** The admin name of the enumerator under which it is repeated; empty for none. */
  enumerator: string
}

export function AddQuestionPage(props: DraftFormProps & NewPlace) {
  const { view, definition, screen, enumerator, conflict } = props
  const { form } = usePage()
  const path = pathOfProgram(view.program.slug)
  const enumerators = definition.questions.filter(({ kind }) => kind === 'ENUMERATOR')
  return (
    <DraftFormShell {...props} tab="questions" title="Add a question" scripts={['/assets/rearrange.js']}>
      <DoneNotice texts={form.values.size > 0 ? {} : doneTexts} />
      <ActionForm action={`${path}/add-question`}>
        <EnterButton name="then" value="another" />
        <Basis {...props} />
        <TwoSides
          left={
            <>
              <TextArea name="text" label="What the applicant reads" rows={2} autofocus={form.values.size === 0} />
              <KindField />
              <AnswerFields />
            </>
          }
          right={
            <>
              <TextField
                name="admin_name"
                label="Name for administrators"
                optional
                hint="Made from the text when left empty. Its key in exports is made of it; neither can change once published."
                maxLength={200}
              />
              {enumerators.length > 0 && (
                <SelectField
                  name="enumerator"
                  label="Repeated"
                  value={enumerator}
                  choices={[
                    { value: '', text: 'no, it is asked once' },
                    ...enumerators.map(({ admin_name, text }) => ({ value: admin_name, text: `for each of: ${text}` })),
                  ]}
                  data-edit="when-look"
                />
              )}
              <AskingFields definition={definition} screen={screen} enumerator={enumerator || undefined} />
              <AsSeen base={newBase(form.values)} before={undefined} definition={definition} optional={false} />
            </>
          }
        />
        <div class="actions">
          <Submit name="then" value="another" text="Keep and add another" />
          <Submit look="plain" text="Keep in draft" />
          <KeepButton view={view} conflict={conflict} />
          <LinkButton href={`${path}/questions`} text="Cancel" />
        </div>
      </ActionForm>
    </DraftFormShell>
  )
}

/** Questions that the program does not ask yet, to be ticked, for one screen. */
export function FromBankPage(props: DraftFormProps & { banked: readonly BankEntry[]; more: boolean; screen: number }) {
  const { view, definition, banked, more, screen, conflict } = props
  const { form, query } = usePage()
  const path = pathOfProgram(view.program.slug)
  const ticked = new Set(form.values.getAll('banked'))
  return (
    <DraftFormShell {...props} tab="questions" title="Add from the question bank">
      <SearchForm
        path={`/admin/programs/${view.program.slug}/add-from-bank`}
        label="Find a question of the bank"
        hint="Name, key or text"
      >
        <input type="hidden" name="screen" value={String(screen)} />
      </SearchForm>
      <ActionForm action={`${path}/add-from-bank?q=${encodeURIComponent(query.get('q') ?? '')}`}>
        <Basis {...props} />
        <fieldset class="card" id="banked" tabIndex={-1}>
          <legend class="unseen">Questions of the bank</legend>
          {banked.length === 0 && <p class="soft">No other question matches.</p>}
          {banked.map(({ admin_name, kind, settings, enumerator }, i) => (
            <div class="choice">
              <input
                type="checkbox"
                id={`banked-${i}`}
                name="banked"
                value={admin_name}
                checked={ticked.has(admin_name)}
              />
              <label for={`banked-${i}`}>
                {settings.text} <span class="kind">{kindLabel(kind)}</span>{' '}
                <small>
                  <code>{admin_name}</code>
                  {enumerator !== null && ` in each of ${enumerator}`}
                </small>
              </label>
            </div>
          ))}
          {more && <p class="soft">There are more. Search for a word of theirs.</p>}
        </fieldset>
        <div class="card narrow">
          <SelectField
            name="screen"
            label="Screen"
            value={String(screen)}
            choices={definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))}
          />
          <div class="actions">
            <Submit text="Add questions" />
            <KeepButton view={view} conflict={conflict} />
            <LinkButton href={`${path}/questions`} text="Cancel" />
          </div>
        </div>
      </ActionForm>
    </DraftFormShell>
  )
}
