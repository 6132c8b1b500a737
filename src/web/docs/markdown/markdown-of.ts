// Converts a docs page to Markdown, so that both have the same content. Covers the elements that our pages use.

const headings: Readonly<Record<string, string>> = { h1: '# ', h2: '## ', h3: '### ', h4: '#### ' }
const blocks = new Set(['p', 'div', 'section', 'details', 'summary', 'ul', 'dl', 'table', 'figure'])
/** Elements that are only useful on the page. */
const skipped = [
  ...['nav', 'button', 'form', 'svg', '[hidden]', '.foot', '.unseen', '.actions'],
  ...['.question .links', '.folds details:not([open])'],
]

const decoded = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** `origin` is put before the addresses of links, which start at the root. */
export function markdownOf(html: string, origin: string): string {
  const page = new Writer()
  new HTMLRewriter()
    .on(skipped.map(value => `main ${value}`).join(), page.skipping)
    .on('main *', page.writing(origin))
    .transform(html)
  return page.text()
}

class Writer {
  /** Finished text, and its unfinished end, which each step reads: kept short, or the time would grow quadratically with the page. */
  #settled = ''
  #out = ''
  #skipped = 0
  /** Inside a block of code, whose text is unchanged. */
  #code = 0
  /** Inside inline code. */
  #words = 0
  /** Inside a list item, where blocks continue the line. */
  #items = 0
  #cells = 0

  readonly skipping = {
    element: (element: HTMLRewriterTypes.Element) => {
      // Line breaks in code that aren't visible are omitted.
      if (!element.canHaveContent || this.#code > 0) return
      this.#skipped++
      element.onEndTag(() => void this.#skipped--)
    },
  }

  writing = (origin: string) => ({
    element: (element: HTMLRewriterTypes.Element) => {
      if (this.#skipped > 0) return
      const end = this.#begin(element, origin)
      if (end !== undefined && element.canHaveContent) element.onEndTag(end)
    },
    text: (chunk: HTMLRewriterTypes.Text) => {
      if (this.#skipped > 0) return
      const text = decoded(chunk.text)
      if (this.#code > 0) this.#out += text
      else if (this.#words > 0) this.#out += text.replaceAll('`', "'")
      // Texts of programs are plain text, whatever they contain.
      else this.#add(text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*[\]<]/g, '\\$&'))
    },
  })

  /** Writes the beginning of an element; returns a function that writes its end. */
  #begin(element: HTMLRewriterTypes.Element, origin: string): (() => void) | undefined {
    const name = element.tagName
    const isTree = element.getAttribute('class') === 'json'
    if (this.#code > 0) return undefined
    if (name === 'pre' || isTree) return this.#fenced(isTree ? 'json' : '')
    if (name in headings)
      return this.#items > 0 ? this.#around('**', '** ') : this.#around(`\n\n${headings[name]}`, '\n\n')
    if (name === 'code') return this.#inlineCode()
    if (element.getAttribute('class') === 'asked') return this.#around('#### ', '')
    if (name === 'strong') return this.#around('**', '**')
    if (name === 'a') return this.#link(element.getAttribute('href') ?? '', origin)
    if (name === 'li' || name === 'dt') return this.#item('\n- ', name === 'li')
    if (name === 'dd') return this.#item(': ', true)
    if (name === 'tr') return this.#row()
    if (name === 'th' || name === 'td') return this.#around('', ' | ')
    if (blocks.has(name)) return this.#block()
    return undefined
  }

  #around(before: string, after: string): () => void {
    this.#add(before)
    return () => this.#add(after)
  }

  #inlineCode(): () => void {
    this.#add(/\w$/.test(this.#out) ? ' `' : '`')
    this.#words++
    return () => {
      this.#words--
      this.#out += '`'
    }
  }

  #block(): () => void {
    const around = this.#items > 0 || this.#cells > 0 ? ' ' : '\n\n'
    this.#add(around)
    return () => this.#add(around)
  }

  #item(before: string, isWhole: boolean): () => void {
    this.#add(before)
    this.#items++
    return () => {
      this.#items--
      if (isWhole && this.#items === 0) this.#add('\n')
    }
  }

  #row(): () => void {
    this.#settle()
    this.#out = `${this.#out.trimEnd()}\n| `
    const start = this.#out.length
    const isFirst = this.#cells++ === 0 && !/\|\n\| $/.test(this.#out)
    return () => {
      this.#cells--
      const columns = this.#out.slice(start).split(' | ').length - 1
      this.#out = this.#out.trimEnd() + (isFirst ? `\n|${'---|'.repeat(columns)}` : '')
    }
  }

  #fenced(language: string): () => void {
    this.#out = `${this.#out.trimEnd()}\n\n\`\`\`${language}\n`
    this.#code++
    return () => {
      this.#code--
      this.#out = `${this.#out.trimEnd()}\n\`\`\`\n\n`
    }
  }

  #link(href: string, origin: string): (() => void) | undefined {
    if (href.startsWith('#') || href === '') return undefined
    return this.#around(/[\w)*`]$/.test(this.#out) ? ' [' : '[', `](${href.startsWith('/') ? origin + href : href})`)
  }

  /** Adds text without doubling spaces or blank lines. */
  #add(text: string): void {
    const trimmed = /\s$/.test(this.#out) || this.#out === '' ? text.replace(/^ +/, '') : text
    this.#out += trimmed
    this.#settle()
  }

  /** Between rows and blocks of code, which depend on what precedes them. */
  #settle(): void {
    if (this.#out.length < 5000 || this.#cells > 0 || this.#code > 0) return
    this.#settled += this.#out.slice(0, -500)
    this.#out = this.#out.slice(-500)
  }

  text(): string {
    const [first, ...rest] = (this.#settled + this.#out).split(/(```[\s\S]*?\n```)/)
    const tidied = [first ?? '', ...rest].map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replaceAll(/[ \t]+\n/g, '\n')
            .replaceAll(/\n{3,}/g, '\n\n')
            .replaceAll(/ +([:,;]|\.(?=\s))/g, '$1'),
    )
    return `${tidied.join('').trim()}\n`
  }
}
