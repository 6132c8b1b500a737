// Every page of console and docs in a real browser, with much in it: nothing that axe finds, targets that a finger hits, nothing wider
// than a small phone, names in their own direction, a title of its own. What the routes are, the console says.

import { describe, expect, test } from 'bun:test'
import { fillConsole } from '../../../scripts/seed-program/fill-console.ts'
import { seedPrograms } from '../../../scripts/seed-program/seed-programs.ts'
import { createAdminToken } from '../../../src/core/people/admin-tokens.ts'
import { addIntermediary, addOrganization } from '../../../src/core/people/intermediaries.ts'
import { invitePerson } from '../../../src/core/people/people.ts'
import { addWebhook } from '../../../src/core/webhooks/endpoints.ts'
import type { Sql } from '../../../src/db/client.ts'
import { addKeyRequests } from '../../../src/db/keys/key-request-days.ts'
import { readIntermediaries } from '../../../src/db/people/intermediary-rows.ts'
import { findActiveVersion, findProgram, type StoredProgramVersion } from '../../../src/db/programs/programs.ts'
import { endPublication, insertPublication } from '../../../src/db/programs/publication-rows.ts'
import { consolePages } from '../../../src/web/console/console.ts'
import type { Deps } from '../../../src/web/http/server/deps.ts'
import {
  accessibilityErrors,
  openPage,
  pageWidth,
  smallTargets,
  undirected,
  unmatchedSelectors,
  useBrowser,
} from '../../support/browser.ts'
import { oidcClient, unlimited } from '../../support/config.ts'
import { aPerson, ConsoleVisitor, decoded, testPassword } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { FrontEnd } from '../../support/front-end.ts'
import { createTestKey } from '../../support/keys.ts'
import { needs } from '../../support/needs.ts'
import { aDraft, aProgram, everyKind, q } from '../../support/programs.ts'

/** What may be that long has to break somewhere. */
const slug = 'emergency'.repeat(7).slice(0, 60)
/** Of people, programs, keys and organizations: from right to left. */
const name = 'مساعدة'
const day = 86_400_000_000
const by = { actor: 'operator:test', now: Date.now() * 1000 }

const deep = q.enumerator('shift', [q.enumerator('task', [q.text('deed')], { optional: true })], { optional: true })

/** Every kind, with names of their own for what repeats: the demo has the others. */
const asked = [
  q.text('reason', { text: name, optional: true }),
  ...everyKind.filter(({ question }) => question.kind !== 'ENUMERATOR'),
  q.enumerator(
    'person at home',
    [q.date('born'), q.enumerator('work', [q.text('place of work'), deep], { optional: true })],
    {
      optional: true,
    },
  ),
]

/** A program of every kind of question with a draft, applications and a long slug; a large one; and what a demo has of all else. */
async function fill({ sql, service, ada }: Started) {
  const seeded = ['utility-assistance', 'child-care-subsidy'].map(slug => ({ slug, applications: 60 }))
  await seedPrograms(sql, { programs: seeded, now: Date.now() * 1000, timeZone: 'UTC', actor: 'operator:test' })
  const programs = seeded.map(({ slug }) => slug)
  await fillConsole({ ...service.config, sql, baseUrl: service.baseUrl, programs })
  const letters = (i: number) => [...String(i)].map(digit => 'abcdefghij'[Number(digit)]).join('')
  const many = Array.from({ length: 200 }, (_, i) => q.radio(`question ${letters(i)}`, ['yes', 'no']))
  await aProgram(sql, { slug: 'large', screens: [{ questions: many.slice(0, 100) }, { questions: many.slice(100) }] })
  const common = { slug, display_name: name, statuses: ['In review', 'Approved'] }
  await aProgram(sql, { ...common, questions: asked })
  await aDraft(sql, { ...common, questions: [...asked.slice(4), q.text('x'.repeat(200), { text: 'y'.repeat(200) })] })
  const key = await createTestKey(sql, { name, programs: [slug], maySubmit: true, expiresAt: by.now + day })
  const today = new Date().toISOString().slice(0, 10)
  const outcomes = ['complete', 'interrupted', '400', '500']
  const counts = outcomes.map(outcome => ({ api_key_id: key.username, day: today, outcome, requests: 7 }))
  await addKeyRequests(sql, counts)
  const organization = await addOrganization(sql, name, by)
  await addIntermediary(sql, organization, 'a.person.with.a.long.address@harbor-legal-aid.example.org', by)
  const [listed] = await readIntermediaries(sql, organization, { after: '', rowsMax: 1 })
  const token = { name, scopes: ['keys:read', 'audit:read'], expires_at: by.now + 30 * day }
  const { tokenId } = await createAdminToken(sql, ada, token, by)
  const invited = { email: 'new@example.gov', name, role: 'AUDITOR', programs: [] } as const
  const { token: invitation } = await invitePerson(sql, invited, by)
  await sql`
    insert into audit_event (actor, action, subject, address, detail)
    values (${`key:${key.username}`}, 'applications_exported', ${slug}, '192.0.2.17', ${sql.json({ outcome: 'x'.repeat(300) })})`
  const { program_id } = (await findProgram(sql, slug))!
  const active = (await findActiveVersion(sql, program_id))!
  const webhook = await webhookOf({ sql, service, ada }, program_id)
  const application = await applicationOf(new FrontEnd(service, key, slug))
  await sql`
    insert into intermediary_client (applicant_id, organization_id, name, name_folded, form_key)
    select applicant_id, ${organization}, 'Rosa', 'rosa', gen_random_uuid() from application where application_id = ${application}`
  const [question] = active.questions.filter(({ admin_name }) => admin_name === 'utilities')
  return {
    slug,
    tokenId,
    token: invitation,
    keyId: key.username,
    applicationId: application,
    organizationId: organization,
    intermediaryId: listed!.intermediary_id,
    personId: ada.person_id,
    questionId: question!.question_id,
    webhookId: webhook,
    publicationId: await publicationOf(sql, active),
  }
}

async function applicationOf(frontEnd: FrontEnd): Promise<number> {
  const applicant = await frontEnd.register()
  const answers = { applicant_name: { first_name: name, last_name: name } }
  await frontEnd.apply(applicant, { ...answers, anything_else: { text: 'First words' } })
  const submitted = await frontEnd.apply(applicant, {
    ...answers,
    // Nothing in it to break a line at.
    anything_else: { text: 'w'.repeat(500) },
    proof_of_income: { file_urls: [`https://files.example/${'long-name'.repeat(20)}.pdf`] },
    person_at_home: { entities: [{ entity_name: 'n'.repeat(200), born: { date: '1984-07-19' } }] },
  })
  return submitted.application_id
}

/** One in the background that was refused, with a long reason. */
async function publicationOf(sql: Sql, { program_id, program_version_id }: StoredProgramVersion): Promise<number> {
  const asked = {
    program_id,
    program_version_id,
    move: [],
    asked_by: `admin:${'x'.repeat(60)}@example.gov`,
    programs: 499,
  }
  const id = await insertPublication(sql, { ...asked, address: undefined })
  await endPublication(sql, id, {
    detail: name,
    errors: [{ code: 'not_allowed', detail: 'w'.repeat(200), path: '/screens/0' }],
  })
  return id
}

/** A webhook that was given up, with attempts, and a secret that changes. */
async function webhookOf({ sql, service }: Started, program_id: number): Promise<number> {
  const rules = { keys: service.config.webhookKeys, allowedNetworks: [] }
  const { id } = await addWebhook(sql, rules, { program_id, slug, url: new URL('https://example.org/a') }, by)
  await sql`
    insert into webhook_attempt (webhook_endpoint_id, attempt, message, change, attempted_at, outcome, status, duration_ms)
    values (${id}, 1, 'program.changed', 7, now(), 'delivered', 204, 31), (${id}, 2, 'webhook.test', 7, now(), 'timed_out', null, 10000)`
  await sql`
    update webhook_endpoint
    set failures = 1, first_failed_at = now(), disabled_at = now(), disabled_because = 'gone', earlier_secret_name = 'a.b',
      earlier_secret_until = now() + interval '1 day'`
  return id
}

interface Started {
  sql: Awaited<ReturnType<typeof useDatabase>>['sql']
  service: Awaited<ReturnType<typeof useService>>
  ada: { person_id: number; email: string }
}

/** Routes that send a file, or on to another page. */
const noPages = [
  '/admin/confirm/oidc',
  '/admin/sign-in/oidc',
  '/admin/audit/events.csv',
  '/admin/programs/:slug/applications/download',
  '/admin/programs/:slug/applications/:applicationId/download',
  '/admin/programs/:slug/files/:fileId',
  '/admin/programs/:slug/versions/:versionId/document',
  '/admin/programs/:slug/translations/file',
]

/** Of pages that show something only when they are asked for it, or something else then. */
const queries: Readonly<Record<string, readonly string[]>> = {
  '/admin/audit': ['', '?subject=none'],
  '/admin/audit/sent': ['', '?application=:applicationId', '?application=x'],
  '/admin/keys': ['', `?program=${slug}`, '?q=none'],
  '/admin/keys/check': ['', `?key=:keyId&address=192.0.2.7&program=${slug}`],
  '/admin/programs/:slug/applications': ['', `?q=${encodeURIComponent(name)}&status=none`, '?from=never', '?q=--'],
  '/admin/programs/:slug/applications/status': ['?set=none&application=:applicationId'],
  '/admin/sign-in/oidc/callback': ['?code=x&state=x'],
}

/** Pages of the demo, and docs. */
const others = [
  '/admin/programs/utility-assistance',
  '/admin/programs/utility-assistance/applications',
  '/admin/programs/large/questions',
  '/docs/api',
  '/docs/api/programs',
  '/docs/api/programs/large',
  '/docs/api/programs/nope',
  ...['utility-assistance', slug].flatMap(of => [
    `/docs/api/programs/${of}`,
    `/docs/api/programs/${of}/versions/draft`,
  ]),
]

describe.skipIf(!needs('chromium'))('in a browser', async () => {
  if (!needs('chromium')) return
  const { sql, ...database } = await useDatabase()
  const service = await useService(
    { sql, ...database },
    { ...unlimited, ...oidcClient, oidcIssuer: 'http://127.0.0.1:1' },
  )
  const ada = await aPerson(sql, { name })
  const ids = new Map<string, string | number>(Object.entries(await fill({ sql, service, ada })))
  const links = await linksOf(await new ConsoleVisitor(service).signIn(ada.email))
  const pages = consolePages(service.foundation as Deps).filter(({ method }) => method === 'GET')
  /** What stands in the place of an id where another page is: `new`, `compare`. */
  const words = new Set(pages.flatMap(({ path }) => path.split('/')))
  /** With the ids of what `fill` made; for ids of anything else, an address that a page of the console leads to. */
  const filled = (path: string): string => {
    const address = path.replaceAll(/:(\w+)/g, (parameter, id: string) => String(ids.get(id) ?? parameter))
    if (!/:\w/.test(address)) return address
    const pattern = new RegExp(`^${address.replace('?', '\\?').replaceAll(/:\w+/g, '([^/?]+)')}$`)
    const link = links.find(link => pattern.exec(link)?.every(part => !words.has(part)))
    if (link === undefined) throw new Error(`No page leads to ${path}, and fill() makes nothing for it`)
    return link
  }
  const paths = pages
    .filter(({ path }) => !noPages.includes(path))
    .flatMap(({ path }) => (queries[path] ?? ['']).map(query => filled(path + query).replace('*', 'nothing-here')))
  const otto = await aPerson(sql, { role: 'AUDITOR' })
  const list = `/admin/programs/${slug}/applications`
  const visits = [
    ...[...paths, ...others].map(path => [isOpen.test(path) ? 'stranger' : 'administrator', path] as const),
    ...['/admin', list, filled(`${list}/:applicationId`)].map(path => ['auditor', path] as const),
  ].map(([who, path], i) => [who, path, looks[i % looks.length]!] as const)
  const browser = await useBrowser()
  const open = (email?: string) => openPage(browser, service.baseUrl, { email, password: testPassword })
  const people = { administrator: await open(ada.email), auditor: await open(otto.email), stranger: await open() }

  interface Visited {
    /** What is wrong with the page. */
    found: string[]
    status: number
    title: string
    /** Of each style sheet, the selectors that match nothing on the page. */
    sheets: Readonly<Record<string, string[]>>
    classes: string[]
  }
  const visited = new Map<string, Promise<Visited>>()
  /** Opens each page once, whichever test comes first. */
  const visit = (who: keyof typeof people, path: string, seenAs: (typeof looks)[number]): Promise<Visited> => {
    const name = `${who} ${path}`
    const visiting = visited.get(name) ?? look(people[who], path, seenAs)
    visited.set(name, visiting)
    return visiting
  }

  test(
    'every page has a unique title',
    async () => {
      const titled = new Map<string, Set<string>>()
      for (const [who, path, seenAs] of visits) {
        const { status, title } = await visit(who, path, seenAs)
        const [address = ''] = path.split('?')
        if (status === 200) titled.set(title, (titled.get(title) ?? new Set()).add(address))
      }
      expect([...titled].filter(([title, at]) => title === '' || at.size > 1)).toEqual([])
    },
    allMs,
  )

  test.each(visits)(
    '%s, %s',
    async (who, path, seenAs) => expect((await visit(who, path, seenAs)).found).toEqual([]),
    240_000,
  )

  test(
    'each selector of the style sheets matches something on a page, or in a response to a form',
    async () => {
      const unused = new Map<string, Set<string>>()
      const seen = new Set<string>()
      for (const [who, path, seenAs] of visits) {
        const { sheets, classes } = await visit(who, path, seenAs)
        for (const value of classes) seen.add(value)
        for (const [sheet, unmatched] of Object.entries(sheets))
          unused.set(sheet, (unused.get(sheet) ?? new Set(unmatched)).intersection(new Set(unmatched)))
      }
      const sources = await Array.fromAsync(new Bun.Glob('src/**/*.{ts,tsx,js}').scan(), path => Bun.file(path).text())
      const named = new Set(
        sources.flatMap(text =>
          [...text.matchAll(/class(?:="|=\{|Name|List)[^>\n]*/g)].flatMap(([part]) => part.match(/[\w-]+/g) ?? []),
        ),
      )
      const isAnswer = (selector: string) =>
        [...selector.matchAll(/\.([\w-]+)/g)].some(([, item]) => !seen.has(item!) && named.has(item!))
      expect(
        [...unused].flatMap(([sheet, selectors]) =>
          [...selectors].filter(selector => !isAnswer(selector)).map(selector => `${sheet}: ${selector}`),
        ),
      ).toEqual([])
    },
    allMs,
  )

  async function look(
    { page, complaints }: Awaited<ReturnType<typeof open>>,
    path: string,
    seenAs: (typeof looks)[number],
  ): Promise<Visited> {
    complaints.length = 0
    const found: string[] = []
    await page.setViewportSize({ width: 1440, height: 900 })
    const response = (await page.goto(path))!
    expect(response.headers()['content-type']).toStartWith('text/html')
    if (new URL(page.url()).pathname !== path.split('?')[0]) found.push(`leads to ${page.url()}`)
    // The editor draws its page itself.
    const isEditor = /^\/admin\/programs\/[^/]+\/edit$/.test(path)
    if (isEditor) await page.locator('.panes').waitFor()
    const title = await page.title()
    const matched = await unmatchedSelectors(page)
    await page.evaluate(unfold)
    found.push(...(await undirected(page)))
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const wide = await pageWidth(page)
      if (wide > width) found.push(`${wide} px wide on ${width} px`)
      if (!seenAs.some(look => look.width === width)) continue
      const errors = [await smallTargets(page), await accessibilityErrors(page, wholePageRules)].flat()
      found.push(...errors.map(error => `${width} px: ${error}`))
    }
    // Last, since it leaves out what the others measure. The editor draws its own lists again.
    if (!isEditor) await page.evaluate(leaveThreeOfEachKind)
    for (const { width, colorScheme } of seenAs) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const errors = await accessibilityErrors(page)
      found.push(...errors.map(error => `${width} px, ${colorScheme}: ${error}`))
    }
    found.push(...complaints.filter(text => !text.includes('the server responded with a status of')))
    return { found, status: response.status(), title, ...matched }
  }
})

/** Addresses that pages lead to, from the start on; of those that differ in numbers and ids alone, a few. */
async function linksOf(visitor: ConsoleVisitor): Promise<string[]> {
  const found = ['/admin']
  const alike = new Map<string, number>()
  for (const address of found) {
    const kind = address.replaceAll(/\?.*|\d+|trib\w+/g, '')
    alike.set(kind, (alike.get(kind) ?? 0) + 1)
    if (alike.get(kind)! > 2) continue
    const response = await visitor.get(address)
    const isPage = response.headers.get('content-type')?.startsWith('text/html')
    const text = isPage ? await response.text() : ''
    for (const [, link] of text.matchAll(/ href="(\/admin[^"#]*)/g))
      if (!found.includes(decoded(link!))) found.push(decoded(link!))
  }
  return found
}

/** The test that comes first may open all pages. */
const allMs = 1_200_000

/** Pages that are seen signed out. */
const isOpen = /^\/admin\/(sign-in|invitations)/

/** The first folds of many: the others are of the same kind. */
const unfold = '[...document.querySelectorAll("details:not([name])")].slice(0, 30).forEach(one => { one.open = true })'

/** Rules of axe that compare an element with others, or that depend on how much a page has: a list that fits does not scroll. */
const wholePageRules = [
  'aria-valid-attr-value',
  'duplicate-id-aria',
  'heading-order',
  'label',
  'scrollable-region-focusable',
  'select-name',
]

/**
 * Leaves out rows, list items and lines of samples in which every element has been on the page three times: with the same attributes that
 * styles and axe read, within the same elements. Axe would take most of this test's time for the 42,000 elements of a page.
 */
const leaveThreeOfEachKind = `{
  const kindOf = ({ tagName, attributes, childNodes }) => [
    tagName,
    ...[...attributes].map(({ name, value }) => /^(class|style|role|type|dir|lang|scope|data-color|aria-(hidden|current|sort|selected))$/.test(name) || value === '' ? name + '=' + value : name),
    [...childNodes].some(node => node.nodeType === 3 && /\\S/.test(node.textContent)),
  ].join(' ')
  const pathTo = (element, end) => (element === end ? '' : pathTo(element.parentElement, end) + ' > ' + kindOf(element))
  const seen = new Map()
  for (const list of [...document.querySelectorAll('tbody, ul, ol, dl, .json')].reverse()) {
    const place = pathTo(list, document.documentElement)
    // A term stays with what it means.
    for (const item of [...list.children].filter(({ tagName }) => !/^D[TD]$/.test(tagName))) {
      const paths = new Set([item, ...item.querySelectorAll('*')].map(element => place + pathTo(element, list)))
      const isKnown = [...paths].every(path => seen.get(path) >= 3)
      if (isKnown && item !== list.firstElementChild) item.remove()
      else for (const path of paths) seen.set(path, (seen.get(path) ?? 0) + 1)
    }
  }
}`

/** Each page in both widths and both schemes, which take turns: what pages share is seen in all four. */
const looks = [
  [
    { width: 1440, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
  ],
  [
    { width: 390, colorScheme: 'dark' },
    { width: 1440, colorScheme: 'light' },
  ],
] as const
