// Sample code for a new key that exports the first page, in several languages. It runs exactly as copied.

/** @jsxImportSource preact */

import { apiSecretToken } from '../../../core/keys/credential.ts'
import type { CodeTab } from '../../html/secret.tsx'

/** Slugs, usernames, passwords and URLs contain no character that ends a single-quoted string in any of these languages. */
export function keySamples(baseUrl: string, slug: string, username: string, password: string): CodeTab[] {
  const url = `${baseUrl}/api/v1/admin/programs/${slug}/applications?pageSize=500`
  const authorization = `Basic ${apiSecretToken(username, password)}`
  const docs = <a href={`/docs/api/programs/${slug}#samples`}>Code for all pages</a>
  return [
    {
      id: 'sample-curl',
      title: 'curl',
      about: <>Exports the first page. {docs}</>,
      code: `export TRIBUTARY_USERNAME='${username}'
export TRIBUTARY_PASSWORD='${password}'
curl --compressed \\
  -u "$TRIBUTARY_USERNAME:$TRIBUTARY_PASSWORD" \\
  '${url}'`,
    },
    {
      id: 'sample-python',
      title: 'Python',
      about: <>Exports the first page. {docs}</>,
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
      about: <>Exports the first page. {docs}</>,
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
      about: <>Exports the first page. {docs}</>,
      code: `$page = Invoke-RestMethod \`
  -Uri '${url}' \`
  -Headers @{ Authorization = '${authorization}' }
"$($page.payload.Count) applications"`,
    },
    {
      id: 'sample-excel',
      title: 'Excel',
      about:
        'Choose Get Data, From OData Feed and enter this URL. Then choose Basic and enter the username and password.',
      code: `${baseUrl}/odata/v1/${slug}`,
    },
  ]
}
