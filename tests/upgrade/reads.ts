// What a client continues: a walk from a token on, a feed from a cursor on, or one request. Read by the release that handed the token or
// cursor out, and again by a later one, which must answer the same.

/** A request that a client of an earlier release would send next. */
export interface Read {
  name: string
  /** Of the key that sends it: a name in `Installation.keys`. */
  key: string
  path: string
  accept?: string
}

/** What a page says that may never change, without what may be added to it. */
export type Answer = string | Record<string, unknown>

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** Tokens of pages differ each time they are made; nothing else in these pages is a word of that length. */
const tokenPattern = /[0-9A-Za-z]{150,}/
/** Of the service that answers, which a feed of OData names. */
const originPattern = /http:\/\/127\.0\.0\.1:\d+/g

/** How each page is answered from this one on: pages of applications to the byte, all else by its members. */
export async function readAll(
  get: (path: string, headers: Record<string, string>) => Promise<Response>,
  { path, accept = 'application/json' }: Omit<Read, 'key' | 'name'>,
  authorization: string,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await get(next, { Authorization: authorization, Accept: accept })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${next} answered ${response.status}: ${text}`)
    const page = /\/(changes|applications|odata)\b/.exec(next.split('?')[0]!)?.[1]
    if (page === 'changes') {
      const { payload, nextCursor, hasMore } = JSON.parse(text)
      answers.push(...(payload as Record<string, unknown>[]).map(shortened), { nextCursor })
      next = hasMore ? withParameter(next, 'after', nextCursor) : undefined
    } else if (/\/(applications|odata\/v1\/[^/]+\/\w+)$/.test(next.split('?')[0]!)) {
      const token = tokenPattern.exec(text.slice(-1000))?.[0]
      answers.push(sha256(text.replace(token ?? '', '').replaceAll(originPattern, '')))
      if (token === undefined) next = undefined
      else if (page === 'odata') next = pathOf(JSON.parse(text)['@odata.nextLink'])
      else next = withParameter(next.split('?')[0]!, 'nextPageToken', token)
    } else {
      const body: unknown = JSON.parse(text)
      answers.push(...((Array.isArray(body) ? body : [body]) as Record<string, unknown>[]).map(shortened))
      next = undefined
    }
  }
  return answers
}

/** An application that comes with a change is named by its digest. */
const shortened = ({ application, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  application === undefined ? rest : { ...rest, application: sha256(JSON.stringify(application)) }

function withParameter(path: string, name: string, value: string): string {
  const [at = '', query] = path.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set(name, value)
  return `${at}?${parameters}`
}

const pathOf = (link: string): string => {
  const { pathname, search } = new URL(link)
  return pathname + search
}
