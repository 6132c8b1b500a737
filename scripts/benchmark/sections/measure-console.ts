// How long the console's pages take, each as a person who is signed in would ask for it, in a program with all the applications.

import { acceptInvitation, invitePerson } from '../../../src/access/people.ts'
import { readListedApplications } from '../../../src/db/application-lists.ts'
import { findProgram } from '../../../src/db/programs.ts'
import { type BenchContext, withService } from '../bench-context.ts'
import { atMost, digits, type SectionReport } from '../findings.ts'
import type { HttpSubject } from '../http-subject.ts'
import { inRounds, timed } from '../rounds.ts'
import { median, percentile } from '../statistics.ts'

/** How often a page is asked for in one round. */
const repeats = 20
const password = 'a few plain words for the benchmark'

export async function measureConsole(context: BenchContext): Promise<SectionReport> {
  const rounds = await withService(context, {}, async service => {
    const cookie = await signIn(context, service)
    const read = (path: string) => async (): Promise<number[]> => {
      const ms: number[] = []
      for (let i = 0; i < repeats; i++)
        ms.push(
          await timed(async () => {
            const headers = { Cookie: cookie, Accept: 'text/html' }
            const response = await fetch(service.baseUrl + path, { headers, redirect: 'error' })
            await response.arrayBuffer()
            if (response.status !== 200) throw new Error(`${path} was answered with status ${response.status}`)
          }),
        )
      return ms
    }
    return inRounds(context, Object.fromEntries((await pagesOf(context)).map(([page, path]) => [page, read(path)])))
  })
  const figures = Object.entries(rounds).map(([page, taken]) => {
    const ms = taken.flat()
    return { page, medianMs: median(ms), p95Ms: percentile(ms, 95) }
  })
  const slowest = figures.toSorted((a, b) => b.medianMs - a.medianMs)[0]!
  return {
    findings: [atMost(100, `the slowest page of the console, which is ${slowest.page}`, slowest.medianMs, 'ms')],
    tables: [
      {
        title: 'Pages of the console, ms',
        head: ['', 'median', 'p95'],
        rows: figures.map(({ page, medianMs, p95Ms }) => [page, digits(medianMs), digits(p95Ms)]),
      },
    ],
    raw: figures,
  }
}

/** The cookie of an administrator's session. */
async function signIn({ database: { sql } }: BenchContext, { baseUrl }: HttpSubject): Promise<string> {
  const email = `${crypto.randomUUID()}@bench.example`
  const deed = { actor: 'operator:bench', now: Date.now() * 1000 }
  const { token } = await invitePerson(sql, { email, name: 'Bench', role: 'ADMINISTRATOR', programs: [] }, deed)
  await acceptInvitation(sql, token, password, deed)
  const response = await fetch(`${baseUrl}/admin/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ email, password }),
    headers: { Origin: baseUrl },
    redirect: 'manual',
  })
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0]
  if (response.status !== 303 || cookie === undefined)
    throw new Error(`signing in to the console was answered with status ${response.status}`)
  return cookie
}

/** What is asked for, by name. */
async function pagesOf({ database: { sql }, data }: BenchContext): Promise<[page: string, path: string][]> {
  const { slug } = data.program
  const { program_id } = (await findProgram(sql, slug))!
  const program = `/admin/programs/${slug}`
  const list = `${program}/applications`
  const first = { direction: 'older', beyond: undefined } as const
  const [newest] = await readListedApplications(sql, program_id, {}, first, 1)
  const to = Date.UTC(2025, 6, 1) * 1000
  const [middle] = await readListedApplications(sql, program_id, { to }, first, 1)
  if (newest === undefined || middle === undefined) throw new Error(`program ${slug} has no applications to look at`)
  return [
    ['programs', '/admin/programs'],
    ['a program', program],
    ['its questions', `${program}/questions`],
    ['its versions', `${program}/versions`],
    ['its applications', list],
    ['those before the middle of the year', `${list}?to=2025-07-01`],
    ['those that are OBSOLETE', `${list}?revision=OBSOLETE`],
    ['those without a status', `${list}?status=none`],
    ['those of one applicant', `${list}?applicant=${newest.applicant_id}`],
    ['an application', `${list}/${newest.application_id}`],
    ['an application from the middle', `${list}/${middle.application_id}`],
    ['how long they are kept', `${program}/retention`],
    ['API keys', '/admin/keys'],
    ['the question bank', '/admin/questions'],
    ['jobs', '/admin/jobs'],
    ['the audit trail', '/admin/audit'],
    ['to whom an application was sent', `/admin/audit/sent?application=${newest.application_id}`],
    ['settings', '/admin/settings'],
    ['documentation', '/docs/api/programs'],
    ['documentation of a program', `/docs/api/programs/${slug}`],
  ]
}
