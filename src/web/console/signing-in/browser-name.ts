// Names the browser and system of a session from its User-Agent header, for the list of sessions on the account page.

import { BROWSER_MAP, OS_MAP, parse } from 'bowser'

/** Maximum stored length of a User-Agent header; browsers send about 150 characters. */
export const userAgentLengthMax = 512

const browsers: ReadonlySet<string | undefined> = new Set(Object.values(BROWSER_MAP))
const systems: ReadonlySet<string | undefined> = new Set(Object.values(OS_MAP))

/**
 * `Chrome on Windows`. The header can contain anything, and the parser repeats names that it doesn't know, so only names from its own lists are used.
 * Everything else is `Unknown browser`, with its system if known.
 */
export function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser'
  const { browser, os } = parse(userAgent)
  const name = browsers.has(browser.name) ? browser.name : 'Unknown browser'
  return systems.has(os.name) ? `${name} on ${os.name}` : `${name}`
}
