// The address of a service and the paths below it, checked before credentials are sent.

/** The path of a program's routes, by its slug. Throws TypeError if it cannot be a slug. */
export function programPath(program: string): string {
  // Paths are normalized before they are sent: these would lead out of the folder of programs.
  if (/^\.{0,2}$/.test(program))
    throw new TypeError(`The program must be a slug, such as utility-assistance, not "${program}".`)
  return `/api/v1/admin/programs/${encodeURIComponent(program)}`
}

/** Adds the parameters that have a value. */
export function pathOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Without a trailing slash. Throws TypeError unless it is HTTPS, or HTTP on this machine: API keys must be encrypted. */
export function serviceAddress(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError(`The address must be a URL such as https://apply.example.gov, not "${text}".`)
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    throw new TypeError(`The address must begin with https://, so that the API key is encrypted in transit: "${text}".`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('The address must not contain a username, password, question mark or hash.')
  return url.href.replace(/\/+$/, '')
}
