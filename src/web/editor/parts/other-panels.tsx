// The middle panel for a screen or for the program itself.

/** @jsxImportSource preact */

import { changeScreen, removeScreen } from '../../../domain/definitions/edit-definition.ts'
import { useEditing } from '../fields/editing.tsx'
import { OptionalText, TextField } from '../fields/editor-fields.tsx'
import { earlierThan } from '../model/condition-lines.ts'
import { ConditionEditor } from './condition-editor.tsx'
import { LanguageList } from './languages.tsx'
import { Statuses } from './status-list.tsx'

export function ScreenPanel({ index }: { index: number }) {
  const { document, edit } = useEditing()
  const screen = document.screens[index]
  const at = `/screens/${index}`
  if (screen === undefined) return null
  return (
    <>
      <div class="heading">
        <h2 dir="auto">
          Screen {index + 1} · {screen.name}
        </h2>
        {document.screens.length > 1 && (
          <div class="actions">
            <button
              type="button"
              class="plain"
              onClick={() =>
                edit(removeScreen(document, index), { selected: { of: 'screen', index: Math.max(0, index - 1) } })
              }
            >
              {screen.questions.length === 0 ? 'Remove' : 'Remove with its questions'}
            </button>
          </div>
        )}
      </div>
      <TextField
        label="Heading"
        at={`${at}/name`}
        translated
        value={screen.name}
        change={name => edit(changeScreen(document, index, { name }), { typing: `${at}/name` })}
      />
      <OptionalText label="Introduction" at={`${at}/description`} value={screen.description} />
      <ConditionEditor
        what="screen"
        at={`${at}/visible_when`}
        condition={screen.visible_when}
        earlier={earlierThan(document, { screen: index, index: 0 })}
        change={(visible_when, typing) => edit(changeScreen(document, index, { visible_when }), { typing })}
      />
    </>
  )
}

export function ProgramPanel() {
  const { document, edit } = useEditing()
  return (
    <>
      <h2>Name, languages and statuses</h2>
      <TextField
        label="Name"
        at="/display_name"
        translated
        value={document.display_name}
        change={display_name => edit({ ...document, display_name }, { typing: 'display_name' })}
      />
      <OptionalText
        label="Description"
        at="/description"
        value={document.description}
        hint="Shown to applicants before they start."
      />
      <OptionalText
        label="Confirmation"
        at="/confirmation"
        value={document.confirmation}
        hint="Shown after an application is submitted: what happens next."
      />
      <LanguageList />
      <Statuses />
    </>
  )
}
