// `bun scripts/release/make-tour.ts`: makes README's pictures of the console again, in scripts/tour alongside this file. It starts a PostgreSQL and a
// service of its own, fills them with sample data, and looks at them with Chromium. For those who change what pages look like.

import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { readListedApplications } from '../../src/db/applications/application-lists.ts'
import { openDatabase, type Sql } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { findActiveVersion, findProgram } from '../../src/db/programs/programs.ts'
import { changeQuestion, placeOf } from '../../src/domain/definitions/edit-definition.ts'
import { describeForEditing } from '../../src/domain/definitions/version-definition.ts'
import { createApiKey } from '../../src/keys/api-keys.ts'
import { acceptInvitation, invitePerson } from '../../src/people/people.ts'
import { saveDraft } from '../../src/programs/save-draft.ts'
import { annotate } from '../../src/upkeep/annotate.ts'
import { ChildProcesses, untilAnswering } from '../processes/child-processes.ts'
import { startEmbeddedPostgres } from '../processes/embedded-postgres.ts'
import { freePort } from '../processes/free-port.ts'

const root = join(import.meta.dir, '../..')
const folder = join(import.meta.dir, '../tour')
const timeZone = 'America/Los_Angeles'
const slug = 'utility-assistance'
const password = 'a few plain words for the tour'
const person = { email: 'ada.morales@example.gov', name: 'Ada Morales' }
const dayMicros = 86_400_000_000
const applications = 400
/** Of a picture, in pixels of the page; each is two of the file's where a phone is shown. */
const desk = { width: 1280, height: 800 }
const phone = { width: 360, height: 780 }
/** Sharp enough to read, and small: all six stay below 600 KB. */
const quality = 72

const children = new ChildProcesses()
const data = await mkdtemp(join(tmpdir(), 'tributary-tour-'))
const server = await startEmbeddedPostgres({ dataDirectory: join(data, 'postgres'), startTimeoutMs: 120_000 })
if (!server.started) throw new Error(`another PostgreSQL already runs on ${server.dataDirectory}`)
const sql = openDatabase({ url: server.url, connectionsMax: 4, applicationName: 'tour' })
try {
  await mkdir(folder, { recursive: true })
  await makeTour()
} finally {
  await children.end()
  await sql.end({ timeout: 5 })
  await server.stop()
  await rm(data, { recursive: true, force: true })
}

async function makeTour(): Promise<void> {
  const [port, healthPort] = [await freePort(), await freePort()]
  const pepper = randomBytes(48).toString('base64')
  const env = {
    TRIBUTARY_ENV: 'development',
    INSTANCE_TIME_ZONE: timeZone,
    INSTALLATION_NAME: 'City of Arden',
    PAGE_TOKEN_KEYS: randomBytes(32).toString('base64'),
    API_KEY_PEPPER: pepper,
    DATABASE_URL: server.url,
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
  }
  await prepareDatabase(sql, timeZone)
  const seed = [process.execPath, join(root, 'scripts/seed-program/seed.ts'), '--applications', String(applications)]
  await children.run(seed, { env, timeoutMs: 120_000 })
  const program = (await findProgram(sql, slug))!
  await fill(pepper, program.program_id)
  const service = children.start([process.execPath, join(root, 'src/main.ts')], { env })
  await untilAnswering(service, `http://127.0.0.1:${healthPort}/readyz`)
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? Bun.which('google-chrome') ?? undefined,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    await look(browser, `http://127.0.0.1:${port}`, await annotated(program.program_id))
  } finally {
    await browser.close()
  }
}

/** People, keys, a draft: what makes the pages worth a look. */
async function fill(pepper: string, programId: number): Promise<void> {
  const now = Date.now() * 1000
  const by = { actor: `admin:${person.email}`, now }
  const { token } = await invitePerson(sql, { ...person, role: 'ADMINISTRATOR', programs: [] }, by)
  await acceptInvitation(sql, token, password, by)
  const keys: [name: string, days: number, subnets: string[], mayExport: boolean][] = [
    ['Case management, nightly pull', 210, ['10.20.0.0/16'], true],
    ['Benefits data warehouse', 85, ['10.24.8.0/24', '10.24.9.0/24'], true],
    ['Auditor’s workstation', 12, ['10.1.4.17'], true],
    ['apply.arden.example, form front end', 300, ['10.30.0.0/24'], false],
  ]
  for (const [name, days, allowed_subnets, may_export] of keys)
    await createApiKey(sql, pepper, {
      name,
      programs: [slug],
      allowed_subnets,
      may_export,
      may_submit: !may_export,
      front_end: may_export ? undefined : 'apply',
      expires_at: now + days * dayMicros,
      ...by,
    })
  const active = (await findActiveVersion(sql, programId))!
  const definition = describeForEditing(active)
  const changed = definition.questions.find(({ kind, options }) => kind === 'RADIO' && options !== undefined)!
  const place = placeOf(definition, changed.admin_name)!
  const placement = definition.screens[place.screen]!.questions[place.index]!
  const options = [...changed.options!, { admin_id: 'prefer_not_to_say', text: 'I would rather not say' }]
  const edited = changeQuestion(
    definition,
    { ...changed, options },
    { screen: place.screen, optional: true, visible_when: placement.visible_when ?? undefined },
  )
  const document = JSON.parse(JSON.stringify({ ...edited, based_on: active.program_version_id })) as unknown
  await saveDraft(sql, document, by.actor)
}

/** An application with an earlier one, a status and a note. */
async function annotated(programId: number): Promise<number> {
  const [first] = await readListedApplications(
    sql as Sql,
    programId,
    { revisionState: 'OBSOLETE' },
    { direction: 'older', beyond: undefined },
    1,
  )
  const filter = { applicantId: first!.applicant_id, revisionState: 'CURRENT' } as const
  const [current] = await readListedApplications(sql, programId, filter, { direction: 'older', beyond: undefined }, 1)
  const { application_id } = current!
  const { statuses } = (await findProgram(sql, slug))!
  const change = { program_id: programId, application_id, actor: `admin:${person.email}`, timeZone }
  await annotate(sql, {
    ...change,
    status: statuses[0]!,
    note: 'Called about the second meter.',
    now: Date.now() * 1000,
  })
  return application_id
}

async function look(browser: Browser, baseUrl: string, applicationId: number): Promise<void> {
  const open = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ baseURL: baseUrl, viewport: desk, ...options })
    const page = await context.newPage()
    await page.goto('/admin/sign-in')
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))
    const session = await context.newCDPSession(page)
    /** What stands in the window, as WebP: a third of what PNG takes. */
    const take = async (name: string): Promise<void> => {
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
      await Bun.write(join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
      console.log(`${name}.webp`)
    }
    return { page, take }
  }
  const light = await open({ colorScheme: 'light' })
  await light.page.goto('/admin/keys')
  await light.take('api-keys')
  await light.page.goto(`/admin/programs/${slug}/questions`)
  await light.take('program-questions')
  await light.page.goto(`/docs/api/programs/${slug}`)
  await light.take('program-docs')
  await light.page.goto('/admin/keys/new')
  await light.page.getByLabel('Name').fill('Housing office, weekly report')
  await light.page.getByLabel(slug, { exact: true }).check()
  await light.page.getByLabel('Addresses', { exact: true }).fill('10.40.2.0/24')
  await light.page.getByRole('button', { name: 'Create the key' }).click()
  await light.page.getByText('This is the only time').waitFor()
  await light.take('key-created')
  const dark = await open({ colorScheme: 'dark' })
  await dark.page.goto(`/admin/programs/${slug}/applications/${applicationId}`)
  await dark.take('application-dark')
  const small = await open({ colorScheme: 'light', viewport: phone, deviceScaleFactor: 2, isMobile: true })
  await small.page.goto('/admin/keys')
  await small.take('api-keys-phone')
}
