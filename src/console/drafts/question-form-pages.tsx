// A question of a draft as a form.

/** @jsxImportSource preact */

import type { BankEntry } from '../../db/programs/program-overviews.ts'
import { placeOf } from '../../domain/definitions/edit-definition.ts'
import type { QuestionDefinition } from '../../domain/definitions/program-definition.ts'
import { questionKey } from '../../domain/questions/question-key.ts'
import { ActionForm, Submit } from '../../html/fields.tsx'
import { figures, LinkButton, Notice } from '../../html/parts.tsx'
import { pathOfProgram } from '../programs/program-shell.tsx'
import { kindLabel } from '../programs/question-labels.ts'
import { Basis, type DraftFormProps, DraftFormShell, SaveButtons } from './draft-form.tsx'
import { QuestionFields } from './draft-question-fields.tsx'

export function QuestionFormPage(
  props: DraftFormProps & { question: QuestionDefinition; bank: BankEntry | undefined },
) {
  const { view, definition, question, conflict } = props
  const { program } = view
  const path = pathOfProgram(program.slug)
  const place = placeOf(definition, question.admin_name)!
  const placement = definition.screens[place.screen]!.questions[place.index]!
  const others = (props.bank?.uses ?? []).filter(({ slug, state }) => slug !== program.slug && state === 'ACTIVE')
  return (
    <DraftFormShell {...props} tab="questions" title={question.text}>
      <div class="card wide-form">
        <p class="soft">
          <span class="kind">{kindLabel(question.kind)}</span>{' '}
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
            <strong>
              Also used by{' '}
              {others.length > 5
                ? `${figures(others.length)} other programs`
                : others.map(({ display_name }) => display_name).join(', ')}
              .
            </strong>{' '}
            Publishing a change of text, help, bounds or options makes a new version of{' '}
            {others.length === 1 ? 'it' : 'them'} too; that is asked before.
            {others.length > 5 && (
              <details>
                <summary>Which programs</summary>
                {others.map(({ display_name }) => display_name).join(', ')}
              </details>
            )}
          </Notice>
        )}
        <ActionForm action={`${path}/question`}>
          <input type="hidden" name="name" value={question.admin_name} />
          <Basis {...props} />
          <QuestionFields definition={definition} question={question} placement={placement} screen={place.screen} />
          <div class="actions">
            <SaveButtons view={view} conflict={conflict} />
            <LinkButton href={`${path}/questions`} text="Leave it" />
            <Submit look="danger" name="action" value="remove" text="Remove from the program" />
          </div>
        </ActionForm>
      </div>
    </DraftFormShell>
  )
}
