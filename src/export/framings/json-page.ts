// The page as the specification has it: one JSON object. Source: spec, "Export page".

import type { PageFraming } from './page-framing.ts'
import { splicedRows } from './splice.ts'

export const jsonPage: PageFraming = {
  opening: Buffer.from('{"payload":['),
  rows: splicedRows,
  between: Buffer.from(','),
  end: nextPageToken => `],"nextPageToken":${JSON.stringify(nextPageToken)}}`,
}
