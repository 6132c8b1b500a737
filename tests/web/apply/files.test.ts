// Files of applicants: uploaded with and without other answers, removed, submitted, downloaded in the console, and erased.

import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { eraseApplicant, eraseApplication, eraseExpired } from '../../../src/core/applications/erase.ts'
import { applyKey } from '../../../src/core/apply/apply-front-end.ts'
import { eraseUnneededFiles } from '../../../src/core/files/erase-files.ts'
import { FileSpace } from '../../../src/core/files/file-space.ts'
import type { FileStore } from '../../../src/core/files/file-store.ts'
import { receiveFile } from '../../../src/core/files/receive-file.ts'
import { registerApplicant } from '../../../src/core/intake/register-applicant.ts'
import { readStoredBytes, takeUnneededFiles } from '../../../src/db/apply/uploaded-files.ts'
import { fileRulesOf } from '../../../src/domain/files/file-types.ts'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor, noticesOf } from '../../support/console.ts'
import { ExportClient } from '../../support/export-client.ts'
import { aPdf, aPng, fileNamesOn, sendFiles } from '../../support/files.ts'
import { endWithTest, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { createTestKey } from '../../support/keys.ts'
import { aProgram, q } from '../../support/programs.ts'

const database = await useDatabase()
const folder = await useFolder()
const service = await useService(database, { apply: true, filesDir: { folder } })
const { sql } = database
const { fileStore } = service
const field = '/proof/file_urls'
const order = { actor: 'operator:test', reason: undefined }

const fileProgram = (slug: string) =>
  aProgram(sql, { slug, questions: [q.text('reason'), q.file('proof', { max_count: 2, optional: true })] })

/** An applicant on the screen that asks for files. */
async function whoApplies(slug: string): Promise<Applicant> {
  const applicant = new Applicant(service)
  await applicant.open(`/apply/${slug}/screens/1`)
  return applicant
}

/** One who has submitted an application with these files, and the URLs in it. */
async function whoSubmitted(slug: string, ...names: string[]) {
  const ann = await whoApplies(slug)
  const files = names.map(name => ({ field, name, content: aPdf() }))
  await sendFiles(ann, files, { go: 'next', '/reason/text': 'Rent' })
  await ann.open(`/apply/${slug}/check`)
  await ann.submit()
  expect(ann.page.path).toBe(`/apply/${slug}/received`)
  const applications = await exported(slug)
  return { ann, urls: urlsOf(applications.at(-1)), id: applications.at(-1)!.application_id as number }
}

const exported = async (slug: string) =>
  new ExportClient(service, await createTestKey(sql, { programs: [slug] }), slug).walkAll()

const urlsOf = (exported: { application: unknown } | undefined): string[] => {
  const { proof } = exported!.application as { proof: { file_urls: string[] } }
  return proof.file_urls
}

const pathOf = (url: string): string => new URL(url).pathname

/** The random names of the files that are stored. */
const storedIds = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter(path => path.includes('/')).map(path => path.slice(3))

const sweep = () => eraseUnneededFiles(sql, fileStore, 10_000)

test('files are uploaded before, with and after other answers, removed, and exported as links for downloading', async () => {
  const { program_id } = await fileProgram('whole-way')
  const ann = await whoApplies('whole-way')
  // Only uploaded: what else is missing isn't said yet.
  await sendFiles(ann, [{ field, name: 'bill.pdf', content: aPdf(300_000) }], { upload: field })
  expect([ann.page.status, ann.errors, fileNamesOn(ann.page)]).toEqual([200, [], ['bill.pdf']])
  // Stays while another answer is missing, with a second one.
  await sendFiles(ann, [{ field, name: 'photo.png', content: aPng }])
  expect([ann.errors, fileNamesOn(ann.page)]).toEqual([['/reason/text'], ['bill.pdf', 'photo.png']])
  await sendFiles(ann, [{ field, name: 'third.pdf', content: aPdf() }], { go: 'next', '/reason/text': 'Rent' })
  expect([ann.errors, fileNamesOn(ann.page).length]).toEqual([[field], 3])
  const dropped = /name="drop" value="([^"]*)"/g.exec(ann.page.html)![1]!
  await sendFiles(ann, [], { drop: dropped, '/reason/text': 'Rent' })
  expect(fileNamesOn(ann.page)).toEqual(['photo.png', 'third.pdf'])
  await sendFiles(ann, [])
  await ann.passCode()
  expect(ann.page.path).toBe('/apply/whole-way/check')
  expect(ann.page.html).toContain('<p dir="auto">photo.png</p><p dir="auto">third.pdf</p>')
  await ann.submit()
  const [made] = await exported('whole-way')
  const urls = urlsOf(made)
  expect((made!.application as { proof: { file_key: string } }).proof.file_key).toBe(urls[0]!)
  const files = `${service.baseUrl}/admin/programs/whole-way/files/`
  for (const url of urls) expect(url.replace(/[0-9a-f]{40}$/, '')).toBe(files)

  const { email } = await aPerson(sql)
  const visitor = await new ConsoleVisitor(service).signIn(email)
  const page = await visitor.page(`/admin/programs/whole-way/applications/${made!.application_id}`)
  for (const [url, name] of [
    [urls[0]!, 'photo.png'],
    [urls[1]!, 'third.pdf'],
  ] as const)
    expect(page).toContain(`<a href="${pathOf(url)}" download dir="auto">${name}</a>`)
  const response = await visitor.get(pathOf(urls[0]!))
  expect(Buffer.from(await response.arrayBuffer()).equals(aPng)).toBe(true)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="photo.png"; filename*=UTF-8''photo.png`,
    'content-security-policy': expect.stringContaining('sandbox'),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  const head = await visitor.head(pathOf(urls[0]!))
  expect([head.status, head.headers.get('content-disposition'), (await head.arrayBuffer()).byteLength]).toEqual([
    200,
    response.headers.get('content-disposition'),
    0,
  ])
  const events =
    await sql`select actor, subject, detail from audit_event where action = 'file_downloaded' and actor = ${`admin:${email}`}`
  expect([...events]).toEqual([
    {
      actor: `admin:${email}`,
      subject: pathOf(urls[0]!).split('/').at(-1),
      detail: { program_id, applications: [made!.application_id] },
    },
  ] as never)
})

test('a code that only a HEAD request led to is still shown', async () => {
  await fileProgram('ahead')
  const ann = await whoApplies('ahead')
  await sendFiles(ann, [{ field, name: 'bill.pdf', content: aPdf() }], { upload: field })
  expect(await ann.send('/apply/-/code', { method: 'HEAD' })).toMatchObject({ status: 200, html: '' })
  await sendFiles(ann, [], { go: 'next', '/reason/text': 'Rent' })
  expect(ann.page.path).toStartWith('/apply/-/code')
})

test('only people who may read a program’s applications can download its files, and nobody those of answers in progress', async () => {
  await fileProgram('readers')
  await fileProgram('others')
  const { urls } = await whoSubmitted('readers', 'bill.pdf')
  const [path] = urls.map(pathOf) as [string]
  const statusFor = async (visitor: ConsoleVisitor, at = path) => (await visitor.get(at)).status
  expect(await statusFor(new ConsoleVisitor(service))).toBe(303)
  const as = async (role: 'AUDITOR' | 'PROGRAM_ADMINISTRATOR' | 'ADMINISTRATOR', ...programs: string[]) =>
    new ConsoleVisitor(service).signIn((await aPerson(sql, { role, programs })).email)
  expect(await statusFor(await as('AUDITOR'))).toBe(403)
  expect(await statusFor(await as('PROGRAM_ADMINISTRATOR', 'others'))).toBe(404)
  expect(await statusFor(await as('PROGRAM_ADMINISTRATOR', 'readers'))).toBe(200)
  const administrator = await as('ADMINISTRATOR')
  expect(await statusFor(administrator, path.replace('/readers/', '/others/'))).toBe(404)
  expect(await statusFor(administrator, path.replace(/.$/, 'x'))).toBe(404)
  const bob = await whoApplies('readers')
  await sendFiles(bob, [{ field, name: 'draft.pdf', content: aPdf() }], { go: 'next', '/reason/text': 'Later' })
  const [{ file_id }] = await sql<[{ file_id: string }]>`select file_id from uploaded_file where name = 'draft.pdf'`
  expect(await statusFor(administrator, path.replace(/[^/]*$/, file_id))).toBe(404)
  // Nor when another applicant has written its ID into an answer.
  const eve = await whoApplies('readers')
  await eve.fill({ '/reason/text': `See ${file_id}` })
  await eve.open('/apply/readers/check')
  await eve.submit()
  expect((await exported('readers')).at(-1)!.application).toMatchObject({ reason: { text: `See ${file_id}` } })
  expect(await statusFor(administrator, path.replace(/[^/]*$/, file_id))).toBe(404)
  // Its applicant has no session of the console.
  expect((await bob.open(path)).path).toStartWith('/admin/sign-in')
})

test('a file stays until the last application that has it is erased', async () => {
  await fileProgram('again')
  const { ann, urls, id } = await whoSubmitted('again', 'kept.pdf')
  const fileId = urls[0]!.slice(-40)
  await ann.open('/apply/again/screens/1')
  expect(fileNamesOn(ann.page)).toEqual(['kept.pdf'])
  await sendFiles(ann, [], { go: 'next', '/reason/text': 'Still' })
  await ann.submit()
  const [first, second] = await exported('again')
  expect([urlsOf(first), urlsOf(second)]).toEqual([urls, urls])
  const { program_id } = (await sql`select program_id from program where slug = 'again'`)[0]!
  await eraseApplication(sql, { program_id, application_id: id }, order)
  await sweep()
  expect(await storedIds()).toContain(fileId)
  await eraseApplication(sql, { program_id, application_id: second!.application_id as number }, order)
  expect(await sweep()).toBe(1)
  expect(await storedIds()).not.toContain(fileId)
  expect(await sql`select from uploaded_file where file_id = ${fileId}`).toHaveLength(0)
})

test('erasing an applicant, and the end of a retention period, erase files', async () => {
  await fileProgram('gone')
  const { urls } = await whoSubmitted('gone', 'one.pdf', 'two.pdf')
  const [{ applicant_id }] = await sql<
    [{ applicant_id: number }]
  >`select max(applicant_id) as applicant_id from applicant`
  await eraseApplicant(sql, applicant_id, order)
  expect(await sweep()).toBe(2)
  const { urls: others } = await whoSubmitted('gone', 'three.pdf')
  await sql`update program set retention_days = 1 where slug = 'gone'`
  await sql`alter table application disable trigger user`
  await sql`
    update application
    set submit_time = submit_time - interval '2 days', create_time = create_time - interval '2 days'
    where position(${others[0]!.slice(-40)} in snapshot) > 0`
  await sql`alter table application enable trigger user`
  await eraseExpired(sql)
  expect(await sweep()).toBe(1)
  const stored = await storedIds()
  for (const url of [...urls, ...others]) expect(stored).not.toContain(url.slice(-40))
})

test('files that were never saved or were removed are erased a day later, and saved ones are not', async () => {
  await fileProgram('orphans')
  const ann = await whoApplies('orphans')
  await sendFiles(
    ann,
    [
      { field, name: 'saved.pdf', content: aPdf() },
      { field, name: 'unsaved.pdf', content: aPdf() },
    ],
    { upload: field },
  )
  const unsaved = /name="drop" value="([^"]*)"/g
  const [, drop] = [...ann.page.html.matchAll(unsaved)].map(([, value]) => value!)
  await sendFiles(ann, [], { drop: drop!, '/reason/text': 'Rent' })
  await sendFiles(ann, [])
  expect(await sweep()).toBe(0)
  await sql`update uploaded_file set check_at = now() where name like '%saved.pdf'`
  expect(await sweep()).toBe(1)
  const left =
    await sql`select name, check_at > now() + interval '23 hours' as is_later from uploaded_file where name like '%saved.pdf'`
  expect([...left]).toEqual([{ name: 'saved.pdf', is_later: true }] as never)
  await ann.open('/apply/orphans/screens/1')
  expect(fileNamesOn(ann.page)).toEqual(['saved.pdf'])
})

test('a file that is being erased cannot be in an answer, and two workers erase it once', async () => {
  await fileProgram('races')
  const ann = await whoApplies('races')
  await sendFiles(ann, [{ field, name: 'late.pdf', content: aPdf() }], { upload: field })
  await sql`update uploaded_file set check_at = now() where name = 'late.pdf'`
  expect((await Promise.all([sweep(), sweep(), sweep()])).reduce((a, b) => a + b)).toBe(1)
  await sendFiles(ann, [], { go: 'next', '/reason/text': 'Rent' })
  expect([ann.page.status, ann.errors, fileNamesOn(ann.page)]).toEqual([400, [field], []])
})

test('a file that took so long to arrive that it is being erased is refused', async () => {
  const { program_id } = await fileProgram('arrives-late')
  const applicant_id = await registerApplicant(sql, applyKey('192.0.2.1'), 'en')
  const store: FileStore = {
    read: id => fileStore!.read(id),
    remove: id => fileStore!.remove(id),
    async write(fileId, chunks) {
      await fileStore!.write(fileId, chunks)
      await sql`update uploaded_file set check_at = present_time() where file_id = ${fileId}`
      expect(await takeUnneededFiles(sql, 100)).toContainEqual({ program_id, file_id: fileId })
    },
  }
  const order = {
    rules: fileRulesOf({}),
    space: new FileSpace(sql, 1e9),
    name: 'slow.pdf',
    place: async () => ({ program_id, applicant_id }),
    onFailure: () => {},
  }
  async function* chunks() {
    yield aPdf()
  }
  expect(await receiveFile(sql, store, order, chunks())).toEqual({ refused: 'file_failed' })
})

test('files of people in a list are removed with them', async () => {
  await aProgram(sql, { slug: 'lists', questions: [q.enumerator('child', [q.file('photo')])] })
  const ann = await whoApplies('lists')
  const list = '/child/entities'
  await ann.fill({ [`${list}/0/entity_name`]: 'Leo', [`${list}/1/entity_name`]: 'Mia' })
  await ann.passCode()
  const files = [0, 1].map(i => ({ field: `${list}/${i}/photo/file_urls`, name: `${i}.png`, content: aPng }))
  await sendFiles(ann, files, { upload: field })
  expect(fileNamesOn(ann.page)).toEqual(['0.png', '1.png'])
  await sendFiles(ann, [], { remove: `${list}/0` })
  expect(fileNamesOn(ann.page)).toEqual(['1.png'])
  await sendFiles(ann, [])
  expect(ann.page.path).toBe('/apply/lists/check')
  expect(ann.page.html).toContain('1.png')
})

test('without file storage, the page says so, and optional questions may stay unanswered', async () => {
  await fileProgram('no-place')
  const off = await useService(database, { apply: true }, {}, endWithTest)
  const ann = new Applicant(off)
  await ann.open('/apply/no-place/screens/1')
  expect(ann.page.html).not.toMatch(/type="file"|multipart/)
  await ann.fill({ '/reason/text': 'Rent', [field]: 'https://files.example/a.pdf' })
  expect([ann.page.status, ann.errors]).toEqual([400, [field]])
  await ann.fill({})
  await ann.passCode()
  await ann.submit()
  expect([ann.page.path, noticesOf(ann.page.html)]).toEqual(['/apply/no-place/received', []])
})

test('when the space for files is full, no more are accepted, applicants can continue without one, and administrators see it', async () => {
  await fileProgram('space')
  const stored = await readStoredBytes(sql)
  const full = await useService(
    database,
    { apply: true, filesDir: { folder }, filesBytesMax: stored + aPng.length },
    {},
    endWithTest,
  )
  const ann = new Applicant(full)
  await ann.open('/apply/space/screens/1')
  await sendFiles(ann, [{ field, name: 'fits.png', content: aPng }])
  expect(fileNamesOn(ann.page)).toEqual(['fits.png'])
  await sendFiles(ann, [{ field, name: 'too-much.png', content: aPng }])
  expect([ann.page.status, ann.errors, fileNamesOn(ann.page)]).toEqual([400, ['/reason/text', field], ['fits.png']])
  await sendFiles(ann, [], { go: 'next', '/reason/text': 'Without' })
  expect(ann.page.status).toBe(200)
  const attentionFor = async (role: 'ADMINISTRATOR' | 'PROGRAM_ADMINISTRATOR') => {
    const { email } = await aPerson(sql, { role, programs: ['space'] })
    return (await new ConsoleVisitor(full).signIn(email)).page('/admin')
  }
  expect(await attentionFor('ADMINISTRATOR')).toContain('data-attention="space"')
  expect(await attentionFor('PROGRAM_ADMINISTRATOR')).not.toContain('data-attention="space"')
  const { text } = await full.foundation.metrics.exposition()
  const figure = (name: string) => Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'm').exec(text)![1])
  expect(figure('tributary_uploaded_bytes')).toBe(stored + aPng.length)
})
