// The API reference in Scalar, where requests can be edited and sent. It is served at `/swagger`, the plugin's usual address.

/** @jsxImportSource preact */

import { randomBytes } from 'node:crypto'
import { versionOf } from '../../html/asset-routes.ts'
import { scalarScript } from '../../html/assets/scalar-bundle.ts'
import { htmlResponse, policyWith } from '../../html/html-response.ts'
import { type PageContext, usePage } from '../../html/page-context.ts'

/** `fields` are those of every response to this reader. */
export async function scalarPage(
  context: PageContext,
  documentPath: string,
  fields: Readonly<Record<string, string>>,
): Promise<Response> {
  const nonce = randomBytes(16).toString('base64')
  const page = <ScalarPage nonce={nonce} documentPath={documentPath} version={versionOf(await scalarScript())} />
  return htmlResponse(context, page, 200, { ...fields, 'Content-Security-Policy': policyWith(nonce) })
}

function ScalarPage({ nonce, documentPath, version }: { nonce: string; documentPath: string; version: string }) {
  const { root } = usePage()
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta property="csp-nonce" content={nonce} />
        <title>Send requests · Tributary</title>
        <link rel="icon" type="image/svg+xml" href="/assets/mark.svg" />
        <link rel="stylesheet" href="/assets/scalar.css" />
        <script src="/assets/scalar-start.js" defer />
        <script src={`/assets/scalar.js?v=${version}`} defer />
      </head>
      <body>
        <nav class="way-back" aria-label="Documentation">
          <a href="/docs/api">Back to the API reference</a>
        </nav>
        <noscript>
          <p>This page needs JavaScript. The API reference doesn’t.</p>
        </noscript>
        <div id="reference" data-document={root + documentPath} data-root={root} />
      </body>
    </html>
  )
}
