// Downloads of application lists: the page that offers the formats, and the file.

/** @jsxImportSource preact */

import { countApplications } from '../../../db/applications/application-lists.ts'
import { countFoundApplications } from '../../../db/applications/found-applications.ts'
import type { Deps } from '../../http/server/deps.ts'
import { applicationsRoute, findSeenProgram, readers } from '../applications/find-applications.ts'
import { applicationsPath, countedMax, isFiltered, listSearch, readListQuery } from '../applications/list-query.ts'
import { type Part, pageAt, showForm } from '../requests/action.ts'
import { redirect } from '../requests/console-request.ts'
import { downloadApplications } from './download-applications.ts'
import { languagesOffered, SpreadsheetPage } from './spreadsheet-page.tsx'

export const downloadPages = (deps: Deps): Part => {
  const { consoleDb: db } = deps
  return [
    pageAt(`/admin${applicationsRoute}/spreadsheet`, readers, async request => {
      const program = await findSeenProgram(db, request.person, request.params.slug!)
      const { filter, values, errors } = readListQuery(request)
      // The list shows their errors.
      if (errors.length > 0) return redirect(request, applicationsPath(program.slug) + listSearch(values))
      const [found, languages] = await Promise.all([
        isFiltered(values)
          ? countFoundApplications(db, program.program_id, filter, countedMax + 1)
          : countApplications(db, program.program_id),
        languagesOffered(db, program),
      ])
      const page = () => <SpreadsheetPage program={program} found={found} languages={languages} />
      return showForm(request, { values, errors }, page, 200)
    }),
    pageAt(`/admin${applicationsRoute}/download`, readers, request => downloadApplications(deps, request)),
  ]
}
