// The fields of the question panel about the answer: options, limits, and which files are accepted.

/** @jsxImportSource preact */

import { kindsWith, type QuestionSetting } from '../../../domain/definitions/definition-schemas.ts'
import { changeQuestion } from '../../../domain/definitions/edit-definition.ts'
import type { QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { fileTypeNames, fileTypes } from '../../../domain/files/file-types.ts'
import { fieldId, useEditing } from '../fields/editing.tsx'
import { NumberField, Tick } from '../fields/editor-fields.tsx'
import { OptionList } from './option-list.tsx'

const boundPairs = [
  ['min', 'max', ''],
  ['min_length', 'max_length', ' characters'],
  ['min_count', 'max_count', ' number'],
] as const

interface AnswerSettingsProps {
  question: QuestionDefinition
  /** The question's place in the document, as a JSON Pointer. */
  at: string
}

export function AnswerSettings({ question, at }: AnswerSettingsProps) {
  const { document, edit, fixed } = useEditing()
  const { admin_name: name, kind } = question
  const has = (setting: QuestionSetting): boolean => kindsWith(setting).includes(kind)
  const set = (change: Partial<QuestionDefinition>, typing?: string): void =>
    edit(changeQuestion(document, name, change), { typing })
  return (
    <>
      {has('options') && (
        <OptionList
          question={name}
          at={`${at}/options`}
          options={question.options ?? []}
          published={fixed.get(name)?.option_ids ?? []}
          change={(options, typing) => set({ options: options.length === 0 ? undefined : options }, typing)}
        />
      )}
      {boundPairs
        .filter(([least]) => has(least))
        .map(([least, most, unit]) => (
          <div class="pair" key={least}>
            {([least, most] as const).map((bound, i) => (
              <NumberField
                key={bound}
                label={`${i === 0 ? 'Minimum' : 'Maximum'}${unit}`}
                at={`${at}/${bound}`}
                optional
                value={question[bound]}
                change={value => set({ [bound]: value }, `${at} ${bound}`)}
              />
            ))}
          </div>
        ))}
      {has('file_types') && <FileFields question={question} at={at} set={set} />}
      {has('correct_addresses') && (
        <Tick
          id={fieldId(`${at}/correct_addresses`)}
          text="Correct addresses"
          checked={question.correct_addresses ?? false}
          change={checked => set({ correct_addresses: checked || undefined })}
        />
      )}
    </>
  )
}

/** Which files applicants may upload: all types unless some are excluded. */
function FileFields({
  question,
  at,
  set,
}: AnswerSettingsProps & { set: (change: Partial<QuestionDefinition>) => void }) {
  const taken = question.file_types ?? fileTypeNames
  return (
    <>
      <NumberField
        label="Maximum size in MB"
        at={`${at}/max_megabytes`}
        optional
        value={question.max_megabytes}
        change={max_megabytes => set({ max_megabytes })}
      />
      {fileTypeNames.map(type => (
        <Tick
          key={type}
          id={fieldId(`${at}/file_types/${type}`)}
          text={fileTypes[type].label}
          checked={taken.includes(type)}
          change={isTaken => {
            const types = fileTypeNames.filter(fileTypeName =>
              fileTypeName === type ? isTaken : taken.includes(fileTypeName),
            )
            if (types.length > 0) set({ file_types: types.length === fileTypeNames.length ? undefined : types })
          }}
        />
      ))}
    </>
  )
}
