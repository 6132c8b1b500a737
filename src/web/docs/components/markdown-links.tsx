// Links to the Markdown of a docs page, to read or to copy, for colleagues and language models.

/** @jsxImportSource preact */

import { LinkButton } from '../../html/components.tsx'
import { Icon } from '../../html/icon.tsx'

/** The button copies what the link before it leads to, and is hidden until a script shows it. */
export const MarkdownLinks = ({ path }: { path: string }) => (
  <>
    <LinkButton href={`${path}.md`} text="Markdown" unseen=" of this page" />
    <button type="button" class="plain" data-markdown hidden>
      <Icon name="copy" />
      Copy as Markdown
    </button>
  </>
)
