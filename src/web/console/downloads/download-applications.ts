// The files of an application list: a workbook or CSV files for people, or the CSV that clients receive.

import { invalidRequest, Problem } from '../../../base/problem.ts'
import { csvArchive } from '../../../base/tables/csv-archive.ts'
import { type Sheet, sheetsOf, TooWide } from '../../../base/tables/sheets.ts'
import { planTables } from '../../../base/tables/table-plan.ts'
import type { ApplicationMembers } from '../../../base/tables/table-rows.ts'
import { workbook } from '../../../base/tables/workbook.ts'
import { csvPage } from '../../../core/export/framings/csv-page.ts'
import { exportedObject, framedRow } from '../../../core/export/pages/exported-object.ts'
import { type Program, readPublishedVersions } from '../../../db/programs/programs.ts'
import { lookupTags } from '../../../domain/languages/localized.ts'
import { questionDocs } from '../../../domain/samples/question-docs.ts'
import type { Deps } from '../../http/server/deps.ts'
import { findSeenProgram } from '../applications/find-applications.ts'
import { readListQuery } from '../applications/list-query.ts'
import type { ConsoleRequest } from '../requests/console-request.ts'
import { csvType, download, type FilePart, fileHeaders } from '../requests/download.ts'
import { type OpenedList, openList } from './listed-applications.ts'
import { languagesOffered } from './spreadsheet-page.tsx'

interface FileFormat {
  ending: string
  type: string
  bytes: (deps: Deps, program: Program, list: OpenedList, language: string) => Promise<AsyncIterable<Buffer>>
}

const formats: Readonly<Record<string, FileFormat>> = {
  xlsx: {
    ending: 'xlsx',
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    bytes: async (...list) => workbook(await sheetsOfList(...list)),
  },
  zip: { ending: 'zip', type: 'application/zip', bytes: async (...list) => csvArchive(await sheetsOfList(...list)) },
  csv: { ending: 'csv', type: csvType, bytes: async (_deps, _program, list) => clientCsv(list) },
}

/** The file. Each batch of applications is recorded in the audit log, application by application, before it is sent. */
export async function downloadApplications(deps: Deps, request: ConsoleRequest): Promise<Response> {
  const { consoleDb: db } = deps
  const program = await findSeenProgram(db, request.person, request.params.slug!)
  const query = readListQuery(request)
  const errors = [...query.errors]
  const sent = request.url.searchParams
  const format = formats[sent.get('format') ?? 'csv']
  if (format === undefined)
    errors.push({
      parameter: 'format',
      code: 'not_allowed',
      detail: 'Choose an Excel workbook, CSV files, or CSV as connected systems receive it.',
    })
  const languages = await languagesOffered(db, program)
  const language = sent.get('language') ?? languages[0]!
  if (!languages.includes(language))
    errors.push({ parameter: 'language', code: 'not_allowed', detail: 'Choose one of the program’s languages.' })
  if (errors.length > 0 || format === undefined) throw invalidRequest('Some filters are invalid.', errors)
  const headers = fileHeaders(format.type, `attachment; filename="${program.slug}.${format.ending}"`)
  return download(deps, request.request, headers, async () =>
    inParts(await format.bytes(deps, program, await openList(deps, request, program, query), language)),
  )
}

/** Marks the last part, which is only known when nothing follows. */
async function* inParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<FilePart, void, undefined> {
  let waiting: Buffer | undefined
  for await (const bytes of pieces) {
    if (waiting !== undefined) yield { bytes: waiting, isLast: false }
    waiting = bytes
  }
  if (waiting !== undefined) yield { bytes: waiting, isLast: true }
}

async function* clientCsv({ questions, applications }: OpenedList): AsyncGenerator<Buffer, void, undefined> {
  const framing = csvPage(questions)
  let [opening, count] = [framing.opening, 0]
  for await (const stored of applications()) {
    count += stored.length
    yield Buffer.concat([opening, ...stored.map(application => framedRow(application, questions, framing.rows))])
    opening = Buffer.alloc(0)
  }
  yield Buffer.concat([opening, Buffer.from(framing.end(null, count, () => ''))])
}

/** Parsed applications that may be garbage: without forcing a collection, they grow to three times the service's memory. */
const collectEvery = 1000

/**
 * Sheets as `tributary pull` generates them from the program's docs, in one language. Applications are rendered as in an export and parsed. The first
 * sheet reads the list, and the sheets of entities read its applications again.
 */
async function sheetsOfList(deps: Deps, program: Program, list: OpenedList, language: string): Promise<Sheet[]> {
  const { questions, asOf, applications, again } = list
  const published = await readPublishedVersions(deps.consoleDb, program.program_id)
  const versions = published.filter(({ published_at }) => published_at! <= asOf)
  if (versions.length === 0)
    throw new Problem('conflict', {
      detail: 'This program has not been published, so it has no applications to download.',
    })
  const documented = questionDocs(questions.keyMap, versions.at(-1)!, versions.slice(0, -1), lookupTags(language))
  try {
    return sheetsOf(planTables(documented, { multi: 'one', labels: true }), async function* (sheet) {
      let parsed = 0
      for await (const stored of sheet === 0 ? applications() : again()) {
        yield stored.map(
          application => JSON.parse(exportedObject(application, questions).toString()) as ApplicationMembers,
        )
        parsed += stored.length
        if (parsed < collectEvery) continue
        parsed = 0
        Bun.gc(true)
      }
    })
  } catch (error) {
    if (error instanceof TooWide)
      throw new Problem('too_large', { detail: `${error.message} Choose CSV as connected systems receive it instead.` })
    throw error
  }
}
