// Requests that readers run from the page with their own credentials, and the panel that shows the response. The script is run.js.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { Icon } from '../../html/icon.tsx'
import { CopyButton, ScrollBox } from '../../html/secret.tsx'
import { Panel } from './panels.tsx'

/** The request that a button sends; for staff, who have no key on this page, docs that contain a sample response. */
export interface Runnable {
  /** Address; the script fills in `{nextPageToken}` and `{snapshotTime}` from the latest first page. */
  url: string
  isSample?: boolean
}

/** Hidden until a script shows it. */
export const RunButton = ({ run, what }: { run: Runnable; what: string }) => (
  <button type="button" class="copy" data-run={run.url} data-sample={run.isSample ? '' : undefined} hidden>
    <Icon name="play" />
    <span class="unseen">{what}: </span>
    Run
  </button>
)

/** One command within the text. */
export function CommandSample(props: { id: string; what: string; code: string; run?: Runnable | undefined }) {
  const { id, what, code, run } = props
  return (
    <div class="panel command">
      <ScrollBox label={what}>
        <pre class="wrapping">
          <code id={id}>
            <Command>{code}</Command>
          </code>
        </pre>
      </ScrollBox>
      <div class="tools">
        {run !== undefined && <RunButton run={run} what={what} />}
        <CopyButton look="copy" of={id} what={what} />
      </div>
    </div>
  )
}

/** A command whose lines wrap after `?`, `&`, and parts of addresses, never within a word. Copied, it is unchanged. */
export const Command = ({ children }: { children: string }) => (
  <>
    {children.split(/(?<=\n)/).map(line => (
      <span class={line.startsWith(' ') ? 'd1' : 'd0'}>
        {line
          .split(/(?<=[?&]|[\w}][/:])(?=[\w$<{])/)
          .flatMap((part, i) => [...(i === 0 ? [] : [<wbr />]), ...unbroken(part)])}
      </span>
    ))}
  </>
)

/** Keeps the backslash at the end of a line with the last word. */
function unbroken(part: string): ComponentChildren[] {
  const at = part.search(/\S+ \\\n$/)
  return at === -1 ? [part] : [part.slice(0, at), <span class="whole">{part.slice(at)}</span>]
}

/** Where the script shows a response. */
export const ResponsePanel = () => (
  <div class="response" data-response hidden>
    <Panel id="response-body" title="Response" tall>
      <div class="about">
        <p role="status" data-status />
        <details>
          <summary>Headers</summary>
          <dl data-headers />
        </details>
      </div>
      <div class="json" id="response-body" />
    </Panel>
  </div>
)
