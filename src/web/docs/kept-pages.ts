// Caches pages that are slow to render and the same for many readers, by what they were rendered from. The oldest is evicted first.

interface KeptPage {
  body: ArrayBuffer
  headers: Headers
}

export class KeptPages {
  readonly #pages = new Map<string, Promise<KeptPage>>()

  constructor(private readonly max: number) {}

  /** The page with this `name`, rendered by `make` at its first request, with the headers `fields` of the current response. */
  async responseFor(
    name: string,
    make: () => Promise<Response>,
    fields: Readonly<Record<string, string>>,
  ): Promise<Response> {
    let page = this.#pages.get(name)
    if (page === undefined) {
      page = make().then(async made => ({ body: await made.arrayBuffer(), headers: made.headers }))
      this.#pages.set(name, page)
      page.catch(() => this.#pages.delete(name))
      if (this.#pages.size > this.max) this.#pages.delete(this.#pages.keys().next().value!)
    }
    const { body, headers } = await page
    const sent = new Headers(headers)
    for (const [field, value] of Object.entries(fields)) sent.set(field, value)
    return new Response(body, { headers: sent })
  }
}
