// Pages that are the same for many readers and take long to make: kept as they were sent, by what they were made of. The oldest goes first.

interface KeptPage {
  body: ArrayBuffer
  headers: Headers
}

export class KeptPages {
  readonly #pages = new Map<string, Promise<KeptPage>>()

  constructor(private readonly max: number) {}

  /** A page as `make` makes it, the first time that its `name` is asked for, with `fields` of this answer in place of those of that one. */
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
