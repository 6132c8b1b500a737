// The middle panel for a question: its text for applicants, its type and key, and when the program asks it.

/** @jsxImportSource preact */

import {
  changePlacement,
  changeQuestion,
  moveQuestion,
  placementAt,
  placeOf,
  removeQuestion,
  renameQuestion,
} from '../../../domain/definitions/edit-definition.ts'
import type { ProgramDefinition, QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import type { QuestionKind } from '../../../domain/questions/question.ts'
import { questionKey } from '../../../domain/questions/question-key.ts'
import { kindGroups, kindLabel } from '../../../domain/readable/question-labels.ts'
import { useEditing } from '../fields/editing.tsx'
import { OptionalText, SelectField, TextField } from '../fields/editor-fields.tsx'
import { ofKind, questionNamed, reworded, withCopy, withQuestion } from '../model/adding.ts'
import { earlierThan } from '../model/condition-lines.ts'
import { AnswerSettings } from './answer-settings.tsx'
import { BankOffers } from './bank-offers.tsx'
import { ConditionEditor } from './condition-editor.tsx'

export function QuestionPanel({ name }: { name: string }) {
  const { document, edit, fixed } = useEditing()
  const question = questionNamed(document, name)
  if (question === undefined) return <p>The question bank defines this question.</p>
  const place = placeOf(document, name)!
  const at = `/questions/${document.questions.indexOf(question)}`
  const asked = `/screens/${place.screen}/questions/${place.index}`
  const isFixed = fixed.has(name)
  const placement = placementAt(document, place)
  const part = { question, at, isFixed }
  return (
    <>
      <PanelHeading question={question} />
      <Texts {...part} />
      <div class="trio">
        <KindField {...part} />
        {/* Information text has no answer, and so no place in exports. */}
        {question.kind !== 'STATIC' && (
          <>
            <SelectField
              label="Required"
              at={`${asked}/optional`}
              value={placement.optional ? 'no' : 'yes'}
              choices={[
                { value: 'yes', text: 'Yes' },
                { value: 'no', text: 'No' },
              ]}
              change={value => edit(changePlacement(document, name, { optional: value === 'no' || undefined }))}
            />
            <KeyField {...part} />
          </>
        )}
      </div>
      <Place {...part} />
      <AnswerSettings question={question} at={at} />
      <ConditionEditor
        what="question"
        at={`${asked}/visible_when`}
        condition={placement.visible_when}
        earlier={earlierThan(document, { ...place, enumerator: question.enumerator })}
        change={(visible_when, typing) => edit(changePlacement(document, name, { visible_when }), { typing })}
      />
    </>
  )
}

/** The texts for applicants. */
function Texts({ question, at, isFixed }: PartProps) {
  const { document, edit, focus, taken } = useEditing()
  const { admin_name: name, text, help } = question
  return (
    <>
      <TextField
        label={question.kind === 'STATIC' ? 'Text' : 'Question'}
        at={`${at}/text`}
        translated
        rows={2}
        value={text}
        hint="Press Enter to add the next question."
        change={text => {
          const { to, selected } = reworded(document, question, text, { isFixed, taken })
          edit(to, { selected, typing: `${at} text` })
        }}
        onEnter={() => {
          const { to, selected } = withQuestion(document, { of: 'question', name }, taken)
          edit(to, { selected })
          focus('first-field')
        }}
      />
      {!isFixed && <BankOffers question={question} />}
      <OptionalText label="Help text" at={`${at}/help`} value={help} />
    </>
  )
}

function PanelHeading({ question }: { question: QuestionDefinition }) {
  const { document, edit, focus, fixed, taken } = useEditing()
  const { admin_name: name, text } = question
  const usedBy = fixed.get(name)?.used_by ?? []
  return (
    <>
      <div class="heading">
        <h2 dir="auto">{text === '' ? 'New question' : text}</h2>
        <div class="actions">
          <button
            type="button"
            class="plain"
            onClick={() => {
              const { to, selected } = withCopy(document, name, taken)
              edit(to, { selected })
              focus('first-field')
            }}
          >
            Duplicate
          </button>
          <button
            type="button"
            class="plain"
            onClick={() => edit(removeQuestion(document, name), { selected: besides(document, name) })}
          >
            Remove
          </button>
        </div>
      </div>
      {usedBy.length > 0 && (
        <div class="notice info">
          <strong>Also used by {usedBy.length > 3 ? `${usedBy.length} other programs` : usedBy.join(', ')}.</strong> If
          you change its text, help, limits or options, publishing also makes a new version of{' '}
          {usedBy.length === 1 ? 'that program' : 'those programs'}.
        </div>
      )}
    </>
  )
}

/** The item that is selected after a question is removed: the previous question, or its screen. */
function besides(document: ProgramDefinition, name: string) {
  const { screen, index } = placeOf(document, name)!
  const { questions } = document.screens[screen]!
  const next = questions[index - 1] ?? questions[index + 1]
  return next === undefined
    ? ({ of: 'screen', index: screen } as const)
    : ({ of: 'question', name: next.question } as const)
}

interface PartProps {
  question: QuestionDefinition
  at: string
  isFixed: boolean
}

function KindField({ question: { admin_name, kind }, at, isFixed }: PartProps) {
  const { document, edit } = useEditing()
  if (isFixed)
    return <TextField label="Answer type" at={`${at}/kind`} readOnly value={kindLabel(kind)} change={() => {}} />
  return (
    <SelectField
      label="Answer type"
      at={`${at}/kind`}
      value={kind}
      choices={kindGroups.flatMap(({ label: group, kinds }) =>
        kinds.map(kind => ({ value: kind.kind, text: kind.label, group })),
      )}
      change={chosen => edit(ofKind(document, admin_name, chosen as QuestionKind))}
    />
  )
}

function KeyField({ question: { admin_name: name }, at, isFixed }: PartProps) {
  const { document, edit } = useEditing()
  return (
    <TextField
      label="Key in exports"
      at={`${at}/admin_name`}
      class="mono"
      readOnly={isFixed}
      value={isFixed ? questionKey(name) : name.replaceAll(' ', '_')}
      hint={isFixed ? 'Can’t be changed, because connected systems rely on it.' : undefined}
      change={typed => {
        const next = typed.replaceAll('_', ' ')
        const isFree = next !== '' && questionNamed(document, next) === undefined
        if (isFree)
          edit(renameQuestion(document, name, next), { selected: { of: 'question', name: next }, typing: `${at} name` })
      }}
    />
  )
}

/** The screen that asks it, and whether it is asked for each item of a list. */
function Place({ question, at, isFixed }: PartProps) {
  const { document, edit } = useEditing()
  const { admin_name: name, enumerator } = question
  const { screen } = placeOf(document, name)!
  const lists = document.questions.filter(question => question.kind === 'ENUMERATOR' && question.admin_name !== name)
  return (
    <div class="pair">
      <SelectField
        label="Screen"
        at={`${at}/screen`}
        value={String(screen)}
        choices={document.screens.map((screen, i) => ({ value: String(i), text: `${i + 1} · ${screen.name}` }))}
        change={chosen =>
          edit(
            moveQuestion(document, name, {
              screen: Number(chosen),
              index: document.screens[Number(chosen)]!.questions.length,
            }),
          )
        }
      />
      {lists.length > 0 && (
        <SelectField
          label="Asked"
          at={`${at}/enumerator`}
          value={enumerator ?? ''}
          choices={[
            { value: '', text: 'Once' },
            ...lists.map(list => ({ value: list.admin_name, text: `For each of: ${list.text}` })),
          ].filter(({ value }) => !isFixed || value === (enumerator ?? ''))}
          change={chosen => edit(changeQuestion(document, name, { enumerator: chosen === '' ? undefined : chosen }))}
        />
      )}
    </div>
  )
}
