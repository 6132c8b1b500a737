// The language in which a docs page shows the texts of a program, which may not be that of the page itself, and the menu that changes it.

/** @jsxImportSource preact */

import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import { languageName } from '../../../domain/comparison/translated-texts.ts'

/** The language of a version's texts, one of its languages; the default language comes first. */
export interface InLanguage {
  language: string
  languages: readonly string[]
}

/** Query string of docs in the same language. */
export const languageQuery = ({ language, languages }: InLanguage): string =>
  language === languages[0] ? '' : `?language=${language}`

const ofTexts = createContext<InLanguage | undefined>(undefined)

/** Wraps a page, with the version it shows. */
export const TextLanguage = ofTexts.Provider

/** Attributes of an element that contains a text of the program. */
export const useTextLanguage = () => ({ lang: useContext(ofTexts)?.language, dir: 'auto' as const })

/** A sentence about the program. The texts that it quotes are marked with their language: without `lang`, the page's. */
export function Quoting({ sentence, lang }: { sentence: string; lang?: string | undefined }): VNode {
  const { lang: shown } = useTextLanguage()
  const parts = sentence.split(/“([^“”]*)”/)
  return <>{parts.map((part, i) => (i % 2 === 0 ? part : <>“{<bdi lang={lang ?? shown}>{part}</bdi>}”</>))}</>
}

/** A version's changes. They quote texts in the default language, or in the language they start with: `Spanish text: “Sí”`. */
export function ChangeDetail({ detail }: { detail: string }): VNode {
  const languages = useContext(ofTexts)?.languages
  const lang = languages?.find(tag => detail.startsWith(`${languageName(tag)} `)) ?? languages?.[0]
  return <Quoting sentence={detail} lang={lang} />
}

/** The name of a program on a page, in the language of its first version. */
export const ProgramName = ({ program }: { program: { display_name: string; versions: readonly InLanguage[] } }) => (
  <bdi lang={program.versions[0]?.language}>{program.display_name}</bdi>
)

/** Links to the page at this path in each language of the version; nothing with only one. */
export function LanguageMenu({ shown, path }: { shown: InLanguage; path: string }): VNode | null {
  const { language, languages } = shown
  if (languages.length < 2) return null
  return (
    <nav class="languages" aria-label="Language of questions">
      {languages.map(tag => (
        <a
          href={path + languageQuery({ language: tag, languages })}
          lang={tag}
          hreflang={tag}
          dir="auto"
          title={languageName(tag)}
          aria-current={tag === language ? 'page' : undefined}
        >
          {nativeName(tag)}
        </a>
      ))}
    </nav>
  )
}

/** `Español` for `es`. */
function nativeName(tag: string): string {
  try {
    const name = new Intl.DisplayNames(tag, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
  } catch {
    return tag
  }
}
