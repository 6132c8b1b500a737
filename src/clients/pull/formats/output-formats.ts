// Output formats by file extension. To add one, write its file and list it here.

import { CommandError } from '../requests/pull-outcome.ts'
import type { OutputFormat } from '../spool/output-format.ts'
import { csvFormat } from './csv-format.ts'
import { ndjsonFormat } from './ndjson-format.ts'
import { parquetFormat } from './parquet-format.ts'
import { xlsxFormat, zipFormat } from './sheet-formats.ts'

const formats: readonly OutputFormat[] = [
  ndjsonFormat,
  { ...ndjsonFormat, ending: '.jsonl' },
  csvFormat,
  parquetFormat,
  xlsxFormat,
  zipFormat,
]

export function formatOf(out: string): OutputFormat {
  const found = formats.find(({ ending }) => out.toLowerCase().endsWith(ending))
  if (found !== undefined) return found
  const endings = formats.map(({ ending }) => ending).join(', ')
  throw new CommandError(
    'usage',
    `The name of the file must end with one of ${endings}, which selects the format, not "${out}".`,
  )
}
