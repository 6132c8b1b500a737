// Previews the edited screen with the applicants' own components. Conditions react to the answers entered; nothing is stored.

/** @jsxImportSource preact */

import { useEffect, useMemo, useState } from 'preact/hooks'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import { placeOf } from '../../../domain/definitions/edit-definition.ts'
import type { ScreenDefinition } from '../../../domain/definitions/program-definition.ts'
import {
  defaultLanguageOf,
  inLanguage,
  languagesOf,
  localizedSettings,
  lookupTags,
} from '../../../domain/languages/localized.ts'
import { languageOfTexts } from '../../../domain/languages/text-languages.ts'
import { type FieldView, filled } from '../../questions/field-view.ts'
import { FormValues } from '../../questions/form-values.ts'
import { defaultLanguage, findLanguage, languages as pageLanguages } from '../../questions/languages/all-languages.ts'
import { addButton, removeButton } from '../../questions/list-field.tsx'
import { QuestionFields } from '../../questions/question-fields.tsx'
import { memo, useEditing } from '../fields/editing.tsx'
import { type AskedSample, askedSamples } from '../model/asked-samples.ts'

/** Maximum number of options shown per question. */
const shownMax = 50

export function LivePreview() {
  const { document: program, selected } = useEditing()
  const { values, onInput, onSubmit } = useSampleValues()
  const { language, choice } = usePreviewLanguage()
  const [screen, setScreen] = useState(0)
  useEffect(() => {
    if (selected.of === 'screen') setScreen(selected.index)
    if (selected.of === 'question') setScreen(placeOf(program, selected.name)?.screen ?? 0)
  }, [selected])
  const { screens, questions } = program
  const asked = useMemo(() => askedSamples(program, values), [screens, questions, values])
  const tags = useMemo(() => lookupTags(language), [language])
  const page = findLanguage(tags) ?? defaultLanguage
  const { questions: words, pages, dir } = pageLanguages[page]!
  const reading = useMemo(() => ({ page, tags, usual: defaultLanguageOf(program) }), [tags, program.default_language])
  const view = useMemo((): FieldView => ({ values, errors: new Map(), words }), [values, words])
  const at = Math.min(screen, screens.length - 1)
  const next = asked.findIndex((samples, i) => i > at && samples.length > 0)
  const back = asked.findLastIndex((samples, i) => i < at && samples.length > 0)
  return (
    <aside class={dir === 'rtl' ? 'seen rtl' : 'seen'} aria-labelledby="seen">
      <div class="heading">
        <h2 id="seen">What applicants see</h2>
        {choice}
      </div>
      <form class="card" lang={page} dir={dir} noValidate onInput={onInput} onSubmit={onSubmit}>
        <ScreenHead screen={screens[at]!} reading={reading}>
          {filled(pages.step, { step: at + 1, steps: screens.length })}
        </ScreenHead>
        {asked[at]?.map(sample => (
          <Sample
            key={sample.path}
            {...sample}
            view={view}
            reading={reading}
            isCurrent={selected.of === 'question' && selected.name === sample.question.admin_name}
          />
        ))}
        {asked[at]?.length === 0 && <Nothing isSkipped={screens[at]!.questions.length > 0} />}
        <div class="actions">
          {back >= 0 && (
            <button type="button" class="plain" onClick={() => setScreen(back)}>
              {pages.back}
            </button>
          )}
          {next >= 0 && (
            <button type="button" onClick={() => setScreen(next)}>
              {pages.next}
            </button>
          )}
        </div>
      </form>
    </aside>
  )
}

type Reading = Parameters<typeof languageOfTexts>[1]

function ScreenHead(props: { screen: ScreenDefinition; reading: Reading; children: string }) {
  const { screen, reading, children } = props
  const { document: program } = useEditing()
  const { name, description } = inLanguage(screen, reading.tags)
  const { display_name } = inLanguage(program, reading.tags)
  const languageOf = languageOfTexts([program, screen], reading)
  return (
    <>
      <p class="soft">
        <span dir="auto" lang={languageOf(display_name)}>
          {display_name}
        </span>
        {' · '}
        {children}
      </p>
      <h3 dir="auto" lang={languageOf(name)}>
        {name}
      </h3>
      {description && (
        <p dir="auto" lang={languageOf(description)}>
          {description}
        </p>
      )}
    </>
  )
}

const Nothing = ({ isSkipped }: { isSkipped: boolean }) => (
  <p class="soft" lang="en" dir="ltr">
    {isSkipped ? 'With these answers, applicants skip this screen.' : 'This screen has no questions yet.'}
  </p>
)

/** The preview's language: the second language until another is chosen. */
function usePreviewLanguage() {
  const { document, second } = useEditing()
  const [chosen, setChosen] = useState<string>()
  useEffect(() => setChosen(second), [second])
  const offered = languagesOf(document)
  const language = offered.find(tag => tag === chosen) ?? offered[0]!
  const choice = offered.length > 1 && (
    <select
      class="preview-language"
      aria-label="Language of the preview"
      value={language}
      onChange={event => setChosen(event.currentTarget.value)}
    >
      {offered.map(tag => (
        <option value={tag}>{languageName(tag)}</option>
      ))}
    </select>
  )
  return { language, choice }
}

/** The sample answers on all screens; a form only has those of one. */
function useSampleValues() {
  const [values, setValues] = useState(() => new FormValues())
  const read = (form: HTMLFormElement, ...more: (readonly [string, string])[]): void => {
    const here = new Set([...form.elements].map(element => (element as HTMLInputElement).name))
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
      if (name === removeButton)
        setValues(new FormValues([...values].filter(([item]) => !item.startsWith(`${value}/`))))
    },
  }
}

interface SampleProps extends AskedSample {
  view: FieldView
  reading: Reading
  isCurrent: boolean
}

const Sample = memo(({ question, optional, path, about, view, reading, isCurrent }: SampleProps) => {
  const { kind, options = [] } = question
  const more = options.length - shownMax
  const shown = more > 0 ? { ...question, options: options.slice(0, shownMax) } : question
  const settings = localizedSettings(shown, reading.tags)
  const languageOf = languageOfTexts([shown, ...(shown.options ?? [])], reading)
  const text = settings.text || 'New question'
  return (
    <div class={isCurrent ? 'sample current' : 'sample'}>
      <QuestionFields
        view={{ ...view, languageOf }}
        kind={kind}
        settings={settings}
        optional={optional}
        path={path}
        label={about === '' ? text : filled(view.words.about, { name: about, question: text })}
      />
      {more > 0 && (
        <p class="soft" lang="en" dir="ltr">
          and {more.toLocaleString()} more
        </p>
      )}
    </div>
  )
})
