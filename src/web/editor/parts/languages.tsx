// The program's languages: the list, the choice of a second language to show beside the default, and links to texts without a translation.

/** @jsxImportSource preact */

import { useMemo, useState } from 'preact/hooks'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import { addLanguage, removeLanguage, translationPointer } from '../../../domain/languages/edit-texts.ts'
import { defaultLanguageOf, languagesOf } from '../../../domain/languages/localized.ts'
import { countUntranslated } from '../../../domain/languages/program-texts.ts'
import { canonicalLanguageTag } from '../../../domain/values/language-tag.ts'
import { type Editing, fieldId, useEditing } from '../fields/editing.tsx'
import { Field, TextField } from '../fields/editor-fields.tsx'
import type { EditorState } from '../model/editor-state.ts'
import { nextMissing, selectionAt } from '../model/missing-texts.ts'

/** Value of the option that leads to the field for a new language. */
const adding = '+'

/** Chooses the second language and leads to its missing translations. */
export function LanguageChoice() {
  const { document, second, showSecond, seekMissing, select, focus } = useEditing()
  const standard = languageName(defaultLanguageOf(document))
  const missing = useMemo(() => (second === undefined ? 0 : countUntranslated(document, second)), [document, second])
  const choose = (chosen: string): void => {
    if (chosen === adding) {
      select({ of: 'program' })
      focus(fieldId('/languages/-'))
    } else showSecond(chosen === '' ? undefined : chosen)
  }
  return (
    <>
      <select aria-label="Languages shown" value={second ?? ''} onChange={event => choose(event.currentTarget.value)}>
        <option value="">{standard}</option>
        {(document.languages ?? []).map(tag => (
          <option value={tag}>
            {standard} + {languageName(tag)}
          </option>
        ))}
        <option value={adding}>Add a language…</option>
      </select>
      {missing > 0 && (
        <button type="button" class="plain missing-texts" onClick={() => seekMissing(second!)}>
          {missing.toLocaleString()} missing
          <span class="unseen"> {missing === 1 ? 'translation' : 'translations'}: go to the next</span>
        </button>
      )}
    </>
  )
}

/** Lists the program's languages, to add and remove them and to exchange files with translators. */
export function LanguageList() {
  const { document, edit, say, service, showSecond } = useEditing()
  return (
    <fieldset class="field rows" id={fieldId('/languages')} tabIndex={-1}>
      <legend>Languages</legend>
      <DefaultLanguage />
      {document.languages?.map(tag => (
        <LanguageRow
          tag={tag}
          remove={() => {
            showSecond(undefined)
            edit(removeLanguage(document, tag))
            say(`${languageName(tag)} removed`)
          }}
        />
      ))}
      <NewLanguage />
      {document.languages !== undefined && (
        <p class="hint">
          To work with translators,{' '}
          <a href={`${service.root}/admin/programs/${service.slug}/translations`}>exchange CSV files</a>.
        </p>
      )}
    </fieldset>
  )
}

function DefaultLanguage() {
  const { document, edit } = useEditing()
  const tag = defaultLanguageOf(document)
  return (
    <TextField
      label="Default language"
      at="/default_language"
      class="mono language-tag"
      value={tag}
      change={default_language => edit({ ...document, default_language }, { typing: 'default_language' })}
      hint={`${languageName(tag)}. Texts without a translation are shown in this language.`}
    />
  )
}

function LanguageRow({ tag, remove }: { tag: string; remove: () => void }) {
  const { document, second, showSecond, seekMissing } = useEditing()
  const missing = useMemo(() => countUntranslated(document, tag), [document, tag])
  const name = languageName(tag)
  return (
    <div class="language-row" data-language={tag} data-missing={String(missing)}>
      <span>
        <strong>{name}</strong> <code>{tag}</code>
      </span>
      {missing === 0 ? (
        <span class="soft">Complete</span>
      ) : (
        <button type="button" class="quiet" onClick={() => seekMissing(tag)}>
          {missing.toLocaleString()} missing<span class="unseen"> in {name}: go to the next</span>
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-pressed={second === tag}
        onClick={() => showSecond(second === tag ? undefined : tag)}
      >
        {second === tag ? 'Hide' : 'Show'}
        <span class="unseen"> {name}</span>
      </button>
      <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={remove}>
        ✕
      </button>
    </div>
  )
}

/** Suggested languages. Any other can be added by its tag. */
const suggested = ['am', 'ar', 'es', 'fa', 'fr', 'ht', 'ko', 'pt', 'ru', 'so', 'tl', 'uk', 'vi', 'zh-Hans', 'zh-Hant']

function tagOf(text: string): string | undefined {
  const typed = text.trim().toLowerCase()
  return suggested.find(tag => languageName(tag).toLowerCase() === typed) ?? canonicalLanguageTag(text.trim())
}

function NewLanguage() {
  const { document, edit, say, showSecond } = useEditing()
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const at = '/languages/-'
  const add = (): void => {
    const tag = tagOf(text)
    const isThere = tag !== undefined && languagesOf(document).includes(tag)
    setError(
      tag === undefined
        ? 'Enter a language tag, such as es.'
        : isThere
          ? `The program already has ${languageName(tag)}.`
          : undefined,
    )
    if (tag === undefined || isThere) return
    edit(addLanguage(document, tag))
    showSecond(tag)
    setText('')
    say(`${languageName(tag)} added`)
  }
  return (
    <div class="new-language">
      <Field label="New language" at={at} error={error}>
        {tied => (
          <input
            {...tied}
            value={text}
            list="suggested-languages"
            autocomplete="off"
            placeholder="es"
            onInput={event => setText(event.currentTarget.value)}
            onKeyDown={event => {
              if (event.key === 'Enter') add()
            }}
          />
        )}
      </Field>
      <datalist id="suggested-languages">
        {suggested.map(tag => (
          <option value={tag}>{languageName(tag)}</option>
        ))}
      </datalist>
      <button type="button" class="plain" onClick={add}>
        Add language
      </button>
    </div>
  )
}

/** The language shown beside the default one, which survives a reload, and the link to its next missing translation. */
export function useSecondLanguage({ document, selected }: EditorState, on: Pick<Editing, 'select' | 'focus' | 'say'>) {
  const key = `language of ${document.slug}`
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(key) ?? undefined)
  const [sought, setSought] = useState<Editing['sought']>()
  const showSecond = (language: string | undefined): void => {
    setChosen(language)
    if (language === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, language)
  }
  const seekMissing = (language: string, after = sought?.pointer): void => {
    const pointer = nextMissing(document, language, selected, after)
    if (pointer === undefined) {
      on.say(`No ${languageName(language)} translations are missing`)
      return
    }
    showSecond(language)
    setSought({ pointer })
    on.select(selectionAt(document, pointer))
    on.focus(fieldId(translationPointer(pointer, language)))
  }
  // The language may have been removed, or its addition undone.
  const second = document.languages?.find(tag => tag === chosen)
  return { second, showSecond, seekMissing, sought }
}
