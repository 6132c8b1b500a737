// Links to the Markdown of a docs page, to read or to copy, for colleagues and language models.

/** @jsxImportSource preact */

import { LinkButton } from '../../html/components.tsx'
import { Icon } from '../../html/icon.tsx'

/** `query` is that of the page. The button copies what the link before it leads to, and is hidden until a script shows it. */
export const MarkdownLinks = ({ path, query = '' }: { path: string; query?: string }) => (
  <>
    <LinkButton href={`${path}.md${query}`} text="View as Markdown" unseen=": this page" />
    <button type="button" class="plain" data-markdown hidden>
      <Icon name="copy" />
      Copy as Markdown
    </button>
  </>
)
