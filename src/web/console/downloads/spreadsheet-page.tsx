// The page for downloading an application list as a spreadsheet.

/** @jsxImportSource preact */

import type { Db } from '../../../db/client.ts'
import { findActiveVersion, type Program } from '../../../db/programs/programs.ts'
import { languageName } from '../../../domain/comparison/translated-texts.ts'
import { languagesOf, usualLanguage } from '../../../domain/languages/localized.ts'
import { counted, figures, LinkButton } from '../../html/components.tsx'
import { Choices, SelectField, Submit } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { orderTexts } from '../applications/list-columns.tsx'
import {
  applicationsPath,
  countedMax,
  isFiltered,
  listSearch,
  longOrderOf,
  orderOf,
  type ShownOrder,
} from '../applications/list-query.ts'

/** The languages of a program, the default language first. */
export async function languagesOffered(db: Db, { program_id }: Program): Promise<readonly string[]> {
  const active = await findActiveVersion(db, program_id)
  return active === undefined ? [usualLanguage] : languagesOf(active.details)
}

interface SpreadsheetProps {
  program: Program
  /** Matching applications, counted up to `countedMax`; without filters, all of them. */
  found: number
  languages: readonly string[]
}

function described(found: number, values: URLSearchParams): string {
  if (!isFiltered(values)) return counted(found, 'application')
  const many = found > countedMax ? `More than ${figures(countedMax)} applications` : counted(found, 'application')
  return `${many} that match${found === 1 ? 'es' : ''} your filters`
}

/** The order of the file. Statuses change while a list is read, and a long list isn't sorted by name. */
function fileOrder(found: number, values: URLSearchParams): ShownOrder {
  const order = found > countedMax ? longOrderOf(values) : orderOf(values)
  return order === 'status' ? 'newest' : order
}

export function SpreadsheetPage({ program, found, languages }: SpreadsheetProps) {
  const { values } = usePage().form
  const path = applicationsPath(program.slug)
  return (
    <Shell
      title="Download as spreadsheet"
      part="applications"
      crumbs={[
        { text: 'Applications', path: '/admin/applications' },
        { text: program.display_name, path: path + listSearch(values) },
        { text: 'Download' },
      ]}
      lead={`${described(found, values)}. ${orderTexts[fileOrder(found, values)]} The download is recorded in the audit log.`}
    >
      <div class="card narrow">
        <form method="get" action={`${path}/download`}>
          {[...values].map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <Choices
            name="format"
            legend="Format"
            chosen={['xlsx']}
            choices={[
              {
                value: 'xlsx',
                text: 'Excel workbook',
                hint: 'One sheet for applications, and one for each list of people or things. Also opens in LibreOffice.',
              },
              {
                value: 'zip',
                text: 'CSV files',
                hint: 'The same rows as CSV files in a ZIP file, for other software.',
              },
              {
                value: 'csv',
                text: 'CSV as connected systems receive it',
                hint: 'With question keys and option IDs, but without rows for lists of people or things.',
              },
            ]}
          />
          {languages.length > 1 && (
            <SelectField
              name="language"
              label="Language of questions and options"
              hint="Doesn’t affect CSV as connected systems receive it."
              choices={languages.map(tag => ({ value: tag, text: languageName(tag) }))}
            />
          )}
          <div class="actions">
            <Submit text="Download" />
            <LinkButton href={path + listSearch(values)} text="Back to the list" />
          </div>
        </form>
      </div>
    </Shell>
  )
}
