// What a page needs to know of the request it answers.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Person } from '../../access/roles.ts'
import type { Config } from '../../config/all-settings.ts'

export interface PageContext {
  /** Path under which the service is reached, without a slash at the end: mostly empty. */
  root: string
  config: Pick<Config, 'installationName' | 'environment' | 'timeZone'>
  /** Who is signed in; undefined for those with an API key, and before sign-in. */
  person: Person | undefined
  /** What forms of this session carry; empty where there is none. */
  csrf: string
  /** Whether a CiviForm is followed: then programs, statuses and its keys are changed there alone. */
  following?: boolean
  /** Whether a form of a session that had ended is shown again with what was typed, to be sent in this one. */
  shownAgain?: boolean
}

/** Whether programs may be changed here by who is signed in. */
export const mayEditPrograms = ({ person, following }: PageContext): boolean =>
  person?.role === 'ADMINISTRATOR' && following !== true

const ofPage = createContext<PageContext | undefined>(undefined)

/** Around a whole page, for the small parts within it. */
export const PageProvider = ofPage.Provider

/** What the page around a part is made with. */
export function usePage(): PageContext {
  const context = useContext(ofPage)
  if (context === undefined) throw new Error('a part of a page is shown on no page')
  return context
}
