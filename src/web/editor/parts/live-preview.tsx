// What applicants see of the screen that is worked on, in their own components. Conditions react to what is filled in; nothing is stored.

/** @jsxImportSource preact */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { FieldView } from '../../questions/field-view.ts'
import { FormValues } from '../../questions/form-values.ts'
import { en } from '../../questions/languages/en.ts'
import { addButton, removeButton } from '../../questions/list-field.tsx'
import { QuestionFields } from '../../questions/question-fields.tsx'
import { type AskedSample, askedSamples } from '../model/asked-samples.ts'
import { memo, useEditing } from './editing.tsx'

/** Options that are shown of a question. */
const shownMax = 50

export function LivePreview() {
  const { document: program, selected } = useEditing()
  const { values, onInput, onSubmit } = useSampleValues()
  const [screen, setScreen] = useState(0)
  useEffect(() => {
    if (selected.of === 'screen') setScreen(selected.index)
    if (selected.of === 'question') setScreen(placeOf(program, selected.name)?.screen ?? 0)
  }, [selected])
  const { screens, questions } = program
  const asked = useMemo(() => askedSamples(program, values), [screens, questions, values])
  const view = useMemo((): FieldView => ({ values, errors: new Map(), words: en.questions }), [values])
  const at = Math.min(screen, screens.length - 1)
  const next = asked.findIndex((samples, i) => i > at && samples.length > 0)
  const back = asked.findLastIndex((samples, i) => i < at && samples.length > 0)
  return (
    <aside class="seen" aria-labelledby="seen">
      <h2 id="seen">What applicants see</h2>
      <form class="card" noValidate onInput={onInput} onSubmit={onSubmit}>
        <p class="soft" dir="auto">
          {program.display_name} · Screen {at + 1} of {screens.length}
        </p>
        <h3 dir="auto">{screens[at]?.name}</h3>
        {asked[at]?.map(sample => (
          <Sample
            key={sample.path}
            {...sample}
            view={view}
            isCurrent={selected.of === 'question' && selected.name === sample.question.admin_name}
          />
        ))}
        {asked[at]?.length === 0 && <p class="soft">Nothing is asked here for these answers.</p>}
        <div class="actions">
          {back >= 0 && (
            <button type="button" class="plain" onClick={() => setScreen(back)}>
              Back
            </button>
          )}
          {next >= 0 && (
            <button type="button" onClick={() => setScreen(next)}>
              Continue
            </button>
          )}
        </div>
      </form>
    </aside>
  )
}

/** What is filled in, on all screens: a form has that of one. */
function useSampleValues() {
  const [values, setValues] = useState(() => new FormValues())
  const read = (form: HTMLFormElement, ...more: (readonly [string, string])[]): void => {
    const here = new Set([...form.elements].map(one => (one as HTMLInputElement).name))
    const elsewhere = [...values].filter(([name]) => !here.has(name) && name.startsWith('/'))
    const typed = [...new FormData(form)].map(([name, value]) => [name, String(value)] as const)
    setValues(new FormValues([...elsewhere, ...typed, ...more]))
  }
  return {
    values,
    onInput: (event: { currentTarget: HTMLFormElement }) => read(event.currentTarget),
    onSubmit: (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
      event.preventDefault()
      const { name = '', value = '' } = (event.submitter ?? {}) as HTMLButtonElement
      if (name === addButton) read(event.currentTarget, [addButton, value])
      if (name === removeButton) setValues(new FormValues([...values].filter(([one]) => !one.startsWith(`${value}/`))))
    },
  }
}

const Sample = memo(
  ({ question, optional, path, label, view, isCurrent }: AskedSample & { view: FieldView; isCurrent: boolean }) => {
    const { kind, options = [] } = question
    const more = options.length - shownMax
    const settings = more > 0 ? { ...question, options: options.slice(0, shownMax) } : question
    return (
      <div class={isCurrent ? 'sample current' : 'sample'}>
        <QuestionFields
          view={view}
          kind={kind}
          settings={settings}
          optional={optional}
          path={path}
          label={label || 'New question'}
        />
        {more > 0 && <p class="soft">and {more.toLocaleString()} more</p>}
      </div>
    )
  },
)
