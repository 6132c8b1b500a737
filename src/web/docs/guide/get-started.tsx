// The beginning of a program's docs: how to get an API key, and the first request.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import { Badge } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import { CopyButton } from '../../html/secret.tsx'
import { CommandSample } from '../components/run.tsx'

/** The program that a guide is about. */
export interface GuidedProgram {
  slug: string
  check_auth_url: string
  export_url: string
  feed_url: string
}

/** The reader's credentials, as far as the page needs them. */
export interface Reader {
  /** Username of the reader's API key, or of the key `keyName`; undefined for a person without a key. */
  username: string | undefined
  /** Name of the newest key that the person created and that can export this program. */
  keyName?: string | undefined
  /** Whether the reader has authenticated with a key, and what it may do. */
  isKey: boolean
  mayExport: boolean
  maySubmit: boolean
}

/** Credentials as curl options. */
export const loginOf = ({ username = '$TRIBUTARY_USERNAME' }: Pick<Reader, 'username'>): string =>
  `-u "${username}:$TRIBUTARY_PASSWORD"`

export function GetKey({ program, reader }: { program: GuidedProgram; reader: Reader }): VNode {
  const { person } = usePage()
  const { username, isKey } = reader
  return (
    <section aria-labelledby="key">
      <h2 id="key">Get a key</h2>
      <p>
        {isKey ? (
          <>
            You are signed in with the key <code>{username}</code>. Its Username and Password work for every request
            below.
          </>
        ) : person?.role === 'ADMINISTRATOR' ? (
          <>
            <a href="/admin/keys/new">Create an API key</a> for this program. Its Username and Password are sent with
            every request.
          </>
        ) : (
          'Ask an administrator for an API key for this program. Its Username and Password are sent with every request.'
        )}{' '}
        Keep the Password in an environment variable or a secret store, and send it over HTTPS only. To check the key:
      </p>
      <CommandSample
        id="check-key"
        what="Check the key"
        code={`curl \\\n  ${loginOf(reader)} \\\n  '${program.check_auth_url}'`}
        run={isKey ? { url: program.check_auth_url } : undefined}
      />
      <p class="soft">
        A 401 response never includes the reason, so it reveals nothing about keys or programs. An administrator can
        look up the reason by the <code>request_id</code> in the response.
      </p>
    </section>
  )
}

export const FirstRequest = ({ program }: { program: GuidedProgram }): VNode => (
  <section aria-labelledby="first-request">
    <h2 id="first-request">First request</h2>
    <p>
      Request the first page of applications, oldest first, with the <a href="#samples">code samples</a> and this
      address:
    </p>
    <Address id="export-url" method="GET" address={program.export_url} what="Export address" />
    <p>
      For Excel or Power BI, use the OData feed. Choose Get Data, then From OData feed, enter its address, choose Basic,
      and enter the Username and Password of your key.
    </p>
    <Address id="feed-url" method="OData" address={program.feed_url} what="Feed address for Excel and Power BI" />
  </section>
)

/** An address to copy. */
const Address = (props: { id: string; method: string; address: string; what: string }) => (
  <div class="card address">
    <Badge tone="good">{props.method}</Badge>
    <code id={props.id}>{props.address}</code>
    <CopyButton look="copy" of={props.id} what={props.what} />
  </div>
)
