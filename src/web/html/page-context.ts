// The request-specific data of a page: the person, the time, the form, the settings.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Problem, ProblemItem } from '../../base/problem.ts'
import type { Config } from '../../config/all-settings.ts'
import type { Person } from '../../core/people/roles.ts'
import type { Micros } from '../../domain/values/offset-time.ts'
import { codingFor } from '../http/headers/coded-body.ts'
import type { Coding } from '../http/headers/negotiation.ts'
import type { Place } from '../http/server/place.ts'

/** A form's values and errors, so that it is shown again as it was typed. */
export interface FormState {
  values: URLSearchParams
  errors: readonly ProblemItem[]
  /** Why nothing was changed, where what is stored is no longer what the form was made from. */
  conflict?: Problem
}

export const emptyForm: FormState = { values: new URLSearchParams(), errors: [] }

export interface PageContext extends Pick<Place, 'root' | 'baseUrl'> {
  config: Pick<Config, 'installationName' | 'environment' | 'timeZone' | 'apply'>
  /** Who is signed in; undefined for those with an API key, and before sign-in. */
  person: Person | undefined
  /** Whether who is signed in has a second factor. */
  secondFactor?: boolean
  /** The token in forms of this session; empty without a session. */
  csrf: string
  /** The zone of dates and times, those that are shown and those that are entered: the one that the person chose, or the instance's. */
  timeZone: string
  now: Micros
  /** The parameters of the address. */
  query: URLSearchParams
  /** How the page is compressed. */
  coding: Coding | undefined
  /** The form of the page, where one was sent and is shown again. */
  form: FormState
  /** Whether the page comes back because what was sent was not done: then its title says so first. */
  isRefused?: boolean
  /** The system that is followed, if one is: then programs, statuses and its keys are changed there alone. */
  origin?: string | undefined
  /** How many things need attention in each part of the navigation; read when a page is made, by `htmlResponse`. */
  loadMarks?: (() => Promise<ReadonlyMap<string, number>>) | undefined
  marks?: ReadonlyMap<string, number> | undefined
  /** People's names by email address. `htmlResponse` reads those that a page requests with `nameOf`. */
  loadNames?: ((emails: readonly string[]) => Promise<ReadonlyMap<string, string>>) | undefined
  nameOf?: (email: string) => string | undefined
  /** Whether a form of a session that had ended is shown again with what was typed, to be sent in this one. */
  shownAgain?: boolean
}

/** The context of a page while nothing is known about its visitor. */
export const pageContext = (
  place: Place,
  config: PageContext['config'],
  request: Request,
  now: Micros,
): PageContext => ({
  root: place.root,
  baseUrl: place.baseUrl,
  config,
  person: undefined,
  csrf: '',
  timeZone: config.timeZone,
  now,
  query: new URL(request.url).searchParams,
  coding: codingFor(request),
  form: emptyForm,
})

/** Whether programs may be changed here by who is signed in. */
export const mayEditPrograms = ({ person, origin }: PageContext): boolean =>
  person?.role === 'ADMINISTRATOR' && origin === undefined

const ofPage = createContext<PageContext | undefined>(undefined)

/** Around a whole page, for the small parts within it. */
export const PageProvider = ofPage.Provider

/** The context of the page around a part. */
export function usePage(): PageContext {
  const context = useContext(ofPage)
  if (context === undefined) throw new Error('part of a page was rendered outside a page')
  return context
}
