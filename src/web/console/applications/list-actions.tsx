// The list of a program's applications, and the page to choose a program.

/** @jsxImportSource preact */

import { invalidRequest } from '../../../base/problem.ts'
import { namedMax } from '../../../core/applications/list-by-name.ts'
import { openMany } from '../../../core/applications/open-application.ts'
import { readProgramsWithSubmissions } from '../../../db/applications/application-lists.ts'
import { everyRole } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { action, type Part, pageAt, showForm } from '../requests/action.ts'
import { applicationsAnswer } from '../requests/answer-schemas.ts'
import { pageOf, textOf } from '../requests/route-parameters.ts'
import { applicationsRoute, findSeenProgram, inColor, readListing, readListPage } from './find-applications.ts'
import { ApplicationsPage, ProgramChoicePage } from './list-pages.tsx'
import { orderOf, placeText, readListQuery } from './list-query.ts'

const tooLong = {
  parameter: 'sort',
  code: 'too_many',
  detail: `Lists of up to ${namedMax} applications can be sorted by name. Add a filter.`,
}

/** Programs per page. */
const programRows = 200

export const listActions = (deps: Deps): Part => {
  const { consoleDb: db } = deps
  return [
    pageAt('/admin/applications', everyRole, async request => {
      const { programIds } = request.person
      const among = programIds === 'all' ? programIds : [...programIds]
      const page = { among, after: textOf(request, 'after'), rowsMax: programRows + 1 } as const
      const { items, next } = pageOf(await readProgramsWithSubmissions(db, page), programRows, ({ slug }) => slug)
      return <ProgramChoicePage programs={items} next={next} />
    }),
    pageAt(`/admin${applicationsRoute}`, everyRole, async request => {
      const program = await findSeenProgram(db, request.person, request.params.slug!)
      const query = readListQuery(request)
      const [shown, listing] = await Promise.all([inColor(db, program), readListing(deps, request, program, query)])
      const page = () => <ApplicationsPage program={shown} {...listing} />
      return showForm(
        request,
        { values: query.values, errors: query.errors },
        page,
        query.errors.length > 0 ? 400 : 200,
      )
    }),
    action({
      name: 'listApplications',
      route: `GET ${applicationsRoute}`,
      summary: 'List a program’s applications',
      answers:
        'Applications without their answers, 50 per page. In a search, matches in the applicant’s own name come first.',
      answered: applicationsAnswer,
      roles: everyRole,
      scope: 'applications:read',
      query: {
        from: 'Submitted on or after this day, in the instance’s time zone.',
        to: 'Submitted before this day.',
        status: '`is:` followed by a status, or `none`.',
        revision: 'CURRENT or OBSOLETE.',
        applicant: 'An applicant ID.',
        application: 'An application ID.',
        q: 'The beginnings of words in a name, email address or phone number. Not available to auditors.',
        in: '`applicant`: searches only the applicant’s own name. `others`: other names, email addresses and phone numbers.',
        sort: `\`newest\` (default), \`oldest\`, \`status\` (in the program’s order) or \`name\` (for lists of at most ${namedMax} applications). Searches can only be sorted by \`name\`. Auditors can’t sort by \`name\`.`,
        older: 'The `older` value of the previous page.',
      },
      run: async request => {
        const program = await findSeenProgram(db, request.person, request.params.slug!)
        const { program_id, slug } = program
        const query = readListQuery(request)
        if (query.errors.length > 0) throw invalidRequest('Some filters are invalid.', query.errors)
        const { applications, older, order } = await readListPage(db, program, query)
        if (order !== orderOf(query.values)) throw invalidRequest('Some filters are invalid.', [tooLong])
        if (query.filter.words !== undefined || order === 'name') {
          const ids = applications.map(({ application_id }) => application_id)
          const reading = { action: 'applications_listed', slug, filters: [...query.values.keys()] } as const
          await openMany(db, { program_id, ...request.by, address: request.address }, ids, reading)
        }
        const last = applications.at(-1)
        return { items: applications, older: older && last ? placeText(last, query.values.get('sort')) : null }
      },
    }),
  ]
}
