// The first page of a new key, in the languages its receiver may have: what is copied runs as it is.

/** @jsxImportSource preact */

import { apiSecretToken } from '../../../core/keys/credential.ts'
import type { CodeTab } from '../../html/secret.tsx'

/** No character of a slug, a Username, a Password or an address ends a text in single quotes in any of these languages. */
export function keySamples(baseUrl: string, slug: string, username: string, password: string): CodeTab[] {
  const url = `${baseUrl}/api/v1/admin/programs/${slug}/applications?pageSize=500`
  const authorization = `Basic ${apiSecretToken(username, password)}`
  const docs = <a href={`/docs/api/programs/${slug}#samples`}>All pages, as a program</a>
  return [
    {
      id: 'sample-curl',
      title: 'curl',
      about: <>The first page. {docs}</>,
      code: `export TRIBUTARY_USERNAME='${username}'
export TRIBUTARY_PASSWORD='${password}'
curl --compressed \\
  -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" \\
  '${url}'`,
    },
    {
      id: 'sample-python',
      title: 'Python',
      about: <>The first page. {docs}</>,
      code: `import json
from urllib.request import Request, urlopen

request = Request(
    '${url}',
    headers={'Authorization': '${authorization}'},
)
with urlopen(request) as response:
    page = json.load(response)
print(len(page['payload']), 'applications')`,
    },
    {
      id: 'sample-typescript',
      title: 'TypeScript',
      about: <>The first page. {docs}</>,
      code: `const response = await fetch(
  '${url}',
  { headers: { Authorization: '${authorization}' } },
)
const page = await response.json()
console.log(page.payload.length, 'applications')`,
    },
    {
      id: 'sample-powershell',
      title: 'PowerShell',
      about: <>The first page. {docs}</>,
      code: `$page = Invoke-RestMethod \`
  -Uri '${url}' \`
  -Headers @{ Authorization = '${authorization}' }
"$($page.payload.Count) applications"`,
    },
    {
      id: 'sample-excel',
      title: 'Excel',
      about: 'Get Data, From OData feed, this address; then Basic, with Username and Password.',
      code: `${baseUrl}/odata/v1/${slug}`,
    },
  ]
}
