// `bun scripts/releasing/make-tour.ts`: makes README's picture of the console again. It starts a PostgreSQL and a service of its own, fills them
// with sample data, and looks at them with Chromium. For those who change what pages look like.

import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { openDatabase } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/instance.ts'
import { createApiKey } from '../../src/keys/api-keys.ts'
import { acceptInvitation, invitePerson } from '../../src/people/people.ts'
import { ChildProcesses, untilAnswering } from '../processes/child-processes.ts'
import { startEmbeddedPostgres } from '../processes/embedded-postgres.ts'
import { freePort } from '../processes/free-port.ts'

const root = join(import.meta.dir, '../..')
const file = join(import.meta.dir, '../tour/api-keys.webp')
const timeZone = 'America/Los_Angeles'
const slug = 'utility-assistance'
const password = 'a few plain words for the tour'
const person = { email: 'ada.morales@example.gov', name: 'Ada Morales' }
const dayMicros = 86_400_000_000
const applications = 400
/** In pixels of the page. */
const desk = { width: 1280, height: 800 }
/** Sharp enough to read, and small. */
const quality = 72

const children = new ChildProcesses()
const data = await mkdtemp(join(tmpdir(), 'tributary-tour-'))
const server = await startEmbeddedPostgres({ dataDirectory: join(data, 'postgres'), startTimeoutMs: 120_000 })
if (!server.started) throw new Error(`another PostgreSQL already runs on ${server.dataDirectory}`)
const sql = openDatabase({ url: server.url, connectionsMax: 4, applicationName: 'tour' })
try {
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
  await fill(pepper)
  const service = children.start([process.execPath, join(root, 'src/main.ts')], { env })
  await untilAnswering(service, `http://127.0.0.1:${healthPort}/readyz`)
  const browser = await chromium.launch({
    executablePath: Bun.which('chromium') ?? Bun.which('google-chrome') ?? undefined,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    await look(browser, `http://127.0.0.1:${port}`)
  } finally {
    await browser.close()
  }
}

/** A person and keys. */
async function fill(pepper: string): Promise<void> {
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
}

async function look(browser: Browser, baseUrl: string): Promise<void> {
  const context = await browser.newContext({ baseURL: baseUrl, viewport: desk, colorScheme: 'light' })
  const page = await context.newPage()
  await page.goto('/admin/sign-in')
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(url => !url.pathname.startsWith('/admin/sign-in'))
  await page.goto('/admin/keys')
  const session = await context.newCDPSession(page)
  // WebP takes a third of what PNG does.
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality })
  await Bun.write(file, Buffer.from(data, 'base64'))
}
