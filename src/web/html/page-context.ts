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

/** A form's values and errors, for showing it again as it was typed. */
export interface FormState {
  values: URLSearchParams
  errors: readonly ProblemItem[]
  /** Why nothing was changed, if the stored data has changed since the form was rendered. */
  conflict?: Problem
}

export const emptyForm: FormState = { values: new URLSearchParams(), errors: [] }

export interface PageContext extends Pick<Place, 'root' | 'baseUrl'> {
  config: Pick<Config, 'installationName' | 'environment' | 'timeZone' | 'apply'>
  /** The person who is signed in; undefined for readers with an API key, and before sign-in. */
  person: Person | undefined
  /** Whether that person has a second factor. */
  secondFactor?: boolean
  /** The token in this session's forms; empty without a session. */
  csrf: string
  /** The time zone of all dates and times, displayed or entered: the person's choice, or the instance's. */
  timeZone: string
  now: Micros
  /** The query parameters. */
  query: URLSearchParams
  /** How the page is compressed. */
  coding: Coding | undefined
  /** The page's form, if it was sent and is shown again. */
  form: FormState
  /** Whether the page is shown again because its form was not accepted: then its title begins with that. */
  isRefused?: boolean
  /** The followed system, if there is one: then programs, statuses and its keys can only be changed there. */
  origin?: string | undefined
  /** Number of attention items in each part of the navigation; read by `htmlResponse` when a page is rendered. */
  loadMarks?: (() => Promise<ReadonlyMap<string, number>>) | undefined
  marks?: ReadonlyMap<string, number> | undefined
  /** People's names by email address. `htmlResponse` reads those that a page requests with `nameOf`. */
  loadNames?: ((emails: readonly string[]) => Promise<ReadonlyMap<string, string>>) | undefined
  nameOf?: (email: string) => string | undefined
  /** Whether this is a form of an ended session, shown again with what was typed so that it can be sent in the current one. */
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

/** Whether the person who is signed in may change programs here. */
export const mayEditPrograms = ({ person, origin }: PageContext): boolean =>
  person?.role === 'ADMINISTRATOR' && origin === undefined

const ofPage = createContext<PageContext | undefined>(undefined)

/** Wraps a whole page, for the small parts within it. */
export const PageProvider = ofPage.Provider

/** The context of the page that contains a part. */
export function usePage(): PageContext {
  const context = useContext(ofPage)
  if (context === undefined) throw new Error('part of a page was rendered outside a page')
  return context
}
