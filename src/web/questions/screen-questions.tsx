// The questions of one screen, which a script adds and removes as the answers change. Shared by the applicants' pages and the console's
// preview.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import type { FieldView } from './field-view.ts'
import { type FormPlace, labelOf } from './filled-form.ts'
import { QuestionFields } from './question-fields.tsx'

interface ScreenQuestionsProps {
  view: FieldView
  places: readonly FormPlace[]
  /** Whether an answer may add, remove or rename some of them. */
  isLive: boolean
  /** What the preview shows beside a question, given its label. */
  beside?: (place: FormPlace, label: string) => ComponentChildren
}

export const ScreenQuestions = ({ view, places, isLive, beside }: ScreenQuestionsProps) => (
  <div id="questions" data-live={isLive || undefined}>
    {places.map(place => {
      const { question, optional } = place.asked
      const { kind, settings } = question
      const label = labelOf(place, view.values, view.words)
      return (
        <div data-place={place.formPath} class={beside && 'previewed'}>
          <QuestionFields {...{ view, kind, settings, optional, label }} path={place.formPath} />
          {beside?.(place, label)}
        </div>
      )
    })}
  </div>
)
