// A question more in a draft: a new one, or one of the bank.

/** @jsxImportSource preact */

import type { BankEntry } from '../../db/programs/program-overviews.ts'
import { kindsWith } from '../../domain/definitions/definition-schemas.ts'
import { questionKinds } from '../../domain/questions/question.ts'
import { ActionForm, Choices, SelectField, Submit, TextArea, TextField } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { pathOfProgram } from '../programs/program-shell.tsx'
import { kindLabel } from '../programs/question-labels.ts'
import { Basis, type DraftFormProps, DraftFormShell, KeepButton } from './draft-form.tsx'
import { boundLabels, ConditionFields, earlierThan } from './draft-question-fields.tsx'
import { bounds } from './read-question-form.ts'

export function AddQuestionPage(props: DraftFormProps & { banked: readonly BankEntry[]; search: string }) {
  const { view, definition, conflict } = props
  const { form } = usePage()
  const path = pathOfProgram(view.program.slug)
  const enumerators = definition.questions.filter(({ kind }) => kind === 'ENUMERATOR')
  const screens = definition.screens.map(({ name }, i) => ({ value: String(i), text: `${i + 1} · ${name}` }))
  const basis = <Basis {...props} />
  return (
    <DraftFormShell {...props} tab="questions" title="Add a question">
      <div class="columns">
        <section class="card">
          <h2>A new one</h2>
          <ActionForm action={`${path}/add-question`}>
            {basis}
            <TextField
              name="admin_name"
              label="Name for administrators"
              hint="Its key in exports is made of it, and neither can change later."
              maxLength={200}
            />
            <SelectField
              name="kind"
              label="Type"
              hint="What is asked for. It cannot change later."
              value="TEXT"
              choices={questionKinds.map(kind => ({ value: kind, text: kindLabel(kind) }))}
            />
            <SelectField
              name="enumerator"
              label="Repeated under"
              value=""
              choices={[
                { value: '', text: 'nothing: it is asked once' },
                ...enumerators.map(({ admin_name }) => ({ value: admin_name, text: `each of ${admin_name}` })),
              ]}
            />
            <TextField name="text" label="Text" hint="What the applicant reads." />
            <TextArea
              name="options"
              label="Options"
              optional
              rows={4}
              hint="Of a question to select from: one a line, as id: text. For example rent: We rent our home."
            />
            <SelectField name="screen" label="Screen" value={String(screens.length - 1)} choices={screens} />
            <details open={form.values.size > 0}>
              <summary>Help, bounds, and when it is asked</summary>
              <TextArea name="help" label="Help" optional rows={2} />
              <div class="pair">
                {bounds.map(bound => (
                  <TextField
                    name={bound}
                    label={boundLabels[bound]}
                    hint={`Of ${kindsWith(bound).map(kindLabel).join(', ')}.`}
                    optional
                    inputmode="numeric"
                  />
                ))}
              </div>
              <Choices
                name="optional"
                legend="Answering"
                many
                chosen={[]}
                choices={[{ value: 'yes', text: 'May be left unanswered' }]}
              />
              <ConditionFields condition={undefined} earlier={earlierThan(definition, '')} />
            </details>
            <Submit text="Add it to the draft" />
            <KeepButton view={view} conflict={conflict} />
          </ActionForm>
        </section>
        <section class="card">
          <h2>From the question bank</h2>
          <form class="filters" method="get" action={`${path}/add-question`}>
            <label class="unseen" for="q">
              Find a question of the bank
            </label>
            <input id="q" name="q" type="search" value={props.search} placeholder="Name, key or text" />
            <Submit look="plain" text="Search" />
          </form>
          {props.banked.length === 0 && <p class="soft">No other question matches.</p>}
          <ul class="plain-list">
            {props.banked.map(({ admin_name, kind, settings, enumerator }) => (
              <li>
                <ActionForm action={`${path}/add-question`}>
                  {basis}
                  <input type="hidden" name="banked" value={admin_name} />
                  <input type="hidden" name="screen" value={String(screens.length - 1)} />
                  <p>
                    <strong>{settings.text}</strong> <span class="kind">{kindLabel(kind)}</span>
                    <small>
                      <code>{admin_name}</code>
                      {enumerator !== null && ` in each of ${enumerator}`}
                    </small>
                  </p>
                  <button type="submit" class="plain">
                    Add<span class="unseen"> {admin_name}</span> to the last screen
                  </button>
                </ActionForm>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </DraftFormShell>
  )
}
