// What a stranger tries with files: contents that pretend, names that lead elsewhere, the files of others, and uploads that never end.

import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { applyUploadsMax, uploadsPerAddressMax } from '../../../src/web/apply/apply-limits.ts'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { aPdf, aPng, fieldPart, fileHead, fileNamesOn, sendFiles } from '../../support/files.ts'
import { endWithTest, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { aProgram, q } from '../../support/programs.ts'
import { until } from '../../support/until.ts'

const database = await useDatabase()
const folder = await useFolder()
const service = await useService(database, { apply: true, filesDir: { folder } })
const { sql } = database
const field = '/proof/file_urls'
await aProgram(sql, {
  slug: 'aid',
  questions: [q.file('proof', { optional: true }), q.text('reason', { optional: true })],
})
await aProgram(sql, { slug: 'pdf-only', questions: [q.file('document', { file_types: ['pdf'], max_megabytes: 1 })] })
await aProgram(sql, { slug: 'other', questions: [q.file('proof', { optional: true })] })

async function whoApplies(slug = 'aid', at = service): Promise<Applicant> {
  const applicant = new Applicant(at)
  await applicant.open(`/apply/${slug}/screens/1`)
  return applicant
}

/** Uploads one file and says whether it is there. */
async function isTaken(content: Uint8Array, name = 'bill.pdf', slug = 'aid'): Promise<boolean> {
  const field = slug === 'pdf-only' ? '/document/file_urls' : '/proof/file_urls'
  const ann = await whoApplies(slug)
  await sendFiles(ann, [{ field, name, content }], { upload: field })
  const isThere = fileNamesOn(ann.page).length === 1
  expect([ann.page.status, ann.errors]).toEqual(isThere ? [200, []] : [400, [field]])
  return isThere
}

const contents = async (): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter(path => path.includes('/')).sort()

const rows = async (): Promise<number> => (await sql`select from uploaded_file`).length

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

test('content and not the name decides the type of a file: pages, scripts, archives and programs are refused', async () => {
  const before = await contents()
  for (const content of [
    bytes('<!doctype html><script>alert(1)</script>'),
    bytes('<html>%PDF-1.7'),
    bytes('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    bytes('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
    bytes('GIF89a=1;alert(1)//'),
    bytes('PK\x03\x04\x14\x00\x00\x00\x08\x00'),
    bytes('MZ\x90\x00\x03\x00\x00\x00'),
    bytes('\x7fELF\x02\x01\x01'),
    bytes('#!/bin/sh\nrm -rf /'),
    bytes('just a text'),
    Buffer.alloc(100_000),
    Buffer.alloc(0),
  ])
    expect(await isTaken(content)).toBe(false)
  expect(await contents()).toEqual(before)
  expect(await isTaken(aPng, 'really.exe')).toBe(true)
  expect([await isTaken(aPng, 'a.png', 'pdf-only'), await isTaken(aPdf(), 'a.pdf', 'pdf-only')]).toEqual([false, true])
})

test('a file may have as many bytes as its question allows, and one that is too large leaves nothing', async () => {
  const before = await contents()
  expect(await isTaken(aPdf(10_000_001))).toBe(false)
  expect(await isTaken(aPdf(1_000_001), 'a.pdf', 'pdf-only')).toBe(false)
  expect(await contents()).toEqual(before)
  expect(await isTaken(aPdf(10_000_000))).toBe(true)
  expect(await isTaken(aPdf(1_000_000), 'a.pdf', 'pdf-only')).toBe(true)
  const ann = await whoApplies()
  const many = Array.from({ length: 21 }, (_, i) => ({ field, name: `${i}.png`, content: aPng }))
  expect((await sendFiles(ann, many)).status).toBe(413)
})

test('a file of two types at once is only downloaded, under a name with the recognized type', async () => {
  const ann = await whoApplies()
  const script = '<script>alert(document.domain)</script>'
  const names = ['page.html', 'run.pdf.exe', '"><script>alert(1)</script>.svg', 'fine.PDF']
  const files = names.map(name => ({ field, name, content: aPdf(2000, script, 'PK\x03\x04') }))
  await sendFiles(ann, files)
  await ann.open('/apply/aid/check')
  expect(ann.page.html).not.toMatch(/<script>/)
  await ann.submit()
  const visitor = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
  const [{ application_id }] = await sql<
    [{ application_id: number }]
  >`select max(application_id) as application_id from application`
  const page = await visitor.page(`/admin/programs/aid/applications/${application_id}`)
  expect(page).not.toContain('<script>alert')
  const links = [...page.matchAll(/<a href="(\/admin\/programs\/aid\/files\/[^"]*)" download/g)].map(
    ([, path]) => path!,
  )
  const saved: string[] = []
  for (const path of links) {
    const { headers } = await visitor.get(path)
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-security-policy')).toStartWith('sandbox;')
    saved.push(/filename="([^"]*)"/.exec(headers.get('content-disposition')!)![1]!)
  }
  expect(saved).toEqual(['page.html.pdf', 'run.pdf.exe.pdf', 'script_.svg.pdf', 'fine.PDF'])
})

test('names are stored as text without folders, direction overrides and control characters, and never become paths', async () => {
  const long = `${'ß'.repeat(400)}.pdf`
  const names: [sent: string, kept: string][] = [
    ['../../../etc/passwd.pdf', 'passwd.pdf'],
    ['..\\..\\windows\\system.pdf', 'system.pdf'],
    ['/etc/cron.d/x', 'x'],
    ['a\0b.pdf', 'ab.pdf'],
    ['...', 'file'],
    ['..', 'file'],
    ['.htaccess', 'htaccess'],
    [`fdp\u202egpj.exe`, 'fdpgpj.exe'],
    ['\u2066\u200e', 'file'],
    ['账单 📄 فاتورة.pdf', '账单 📄 فاتورة.pdf'],
    ['tab\tand\x1b[31mred.pdf', 'taband[31mred.pdf'],
    [long, `${'ß'.repeat(196)}.pdf`],
  ]
  const before = new Set(await contents())
  for (const [sent, kept] of names) {
    const ann = await whoApplies()
    await sendRaw(ann, sent)
    expect(fileNamesOn(ann.page)).toEqual([kept])
  }
  const made = (await contents()).filter(path => !before.has(path))
  expect(made).toHaveLength(names.length)
  for (const path of made) expect(path).toMatch(/^([0-9a-f]{2})\/\1[0-9a-f]{38}$/)
})

/** Sends the open page with a file of any name, as no browser would. */
async function sendRaw(
  applicant: Applicant,
  name: string,
  headers: Record<string, string> = {},
  order = ['fields', 'file'],
) {
  const { action, fields } = applicant.fieldsOf()
  const parts = [...fields].filter(([value]) => value !== field).map(([item, value]) => fieldPart(item, value))
  // More than arrives in one piece.
  const file = Buffer.concat([Buffer.from(fileHead(field, name)), aPdf(2_000_000), Buffer.from('\r\n')])
  const body = Buffer.concat([
    ...order.map(part => (part === 'file' ? file : Buffer.from(parts.join('')))),
    Buffer.from('--x--\r\n'),
  ])
  const type = { 'Content-Type': 'multipart/form-data; boundary=x', Origin: service.baseUrl }
  applicant.page = await applicant.send(action, { method: 'POST', body, headers: { ...type, ...headers } })
  return applicant.page
}

test('files of others, guessed or of another program, and addresses elsewhere are refused as answers', async () => {
  const bob = await whoApplies()
  await sendFiles(bob, [{ field, name: 'secret.pdf', content: aPdf() }])
  const ann = await whoApplies()
  await ann.fill({ '/reason/text': 'Rent' })
  const elsewhere = await whoApplies('other', service)
  for (const [name, value] of ann.cookies) elsewhere.cookies.set(name, value)
  await elsewhere.open('/apply/other/screens/1')
  await sendFiles(elsewhere, [{ field, name: 'mine.pdf', content: aPdf() }])
  const ids = await sql<
    { file_id: string; name: string }[]
  >`select file_id, name from uploaded_file where name in ('secret.pdf', 'mine.pdf')`
  const url = (id: string, host = service.baseUrl) => `${host}/admin/programs/aid/files/${id}`
  for (const forged of [
    ...ids.map(({ file_id }) => url(file_id)),
    url('0'.repeat(40)),
    url('../../keys'),
    'https://elsewhere.example/a.pdf',
    'javascript:alert(1)',
  ]) {
    await ann.open('/apply/aid/screens/1')
    await sendFiles(ann, [], { [field]: forged, go: 'next' })
    expect([ann.page.status, ann.errors, fileNamesOn(ann.page)]).toEqual([400, [field], []])
    expect(ann.page.html).not.toContain('secret.pdf')
  }
  // An address of one's own file that leads elsewhere is written as ours.
  await ann.open('/apply/aid/screens/1')
  await sendFiles(ann, [{ field, name: 'own.pdf', content: aPdf() }], { upload: field })
  const [{ file_id }] = await sql<[{ file_id: string }]>`select file_id from uploaded_file where name = 'own.pdf'`
  await sendFiles(ann, [], { [field]: url(file_id, 'https://elsewhere.example'), go: 'next' })
  const saved = await sql`select answers from application_in_progress where position(${file_id} in answers) > 0`
  expect(saved).toHaveLength(1)
  expect(JSON.stringify(saved)).not.toContain('elsewhere')
})

test('no file is stored for a form from another site, without its token, of another session, or with its fields in another order', async () => {
  const [ann, bob] = [await whoApplies(), await whoApplies()]
  for (const applicant of [ann, bob]) {
    await applicant.fill({ '/reason/text': 'Rent' })
    await applicant.open('/apply/aid/screens/1')
  }
  const before = [await rows(), await contents()]
  const { page } = ann
  expect((await sendRaw(ann, 'a.pdf', { Origin: 'https://attacker.example' })).status).toBe(403)
  ann.page = page
  expect((await sendRaw(ann, 'a.pdf', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  ann.page = page
  // The token comes after the file.
  expect((await sendRaw(ann, 'a.pdf', {}, ['file', 'fields'])).status).toBe(403)
  bob.page = page
  expect((await sendRaw(bob, 'a.pdf')).status).toBe(403)
  expect([await rows(), await contents()]).toEqual(before)
})

test('a session that has ended stores no file, and asks for the code', async () => {
  const ann = await whoApplies()
  await ann.fill({ '/reason/text': 'Rent' })
  await ann.open('/apply/aid/screens/1')
  ann.cookies.clear()
  const before = await rows()
  await sendFiles(ann, [{ field, name: 'a.pdf', content: aPdf() }])
  expect([ann.page.status, await rows()]).toEqual([403, before])
  expect(ann.page.html).toContain('name="code"')
})

/** Begins to send a form with a file and never ends. Resolves with the response's first line, or undefined when the connection is reset. */
function sendEndlessly(applicant: Applicant, port: number, everyMs?: number, name = 'slow.pdf') {
  const { action, fields } = applicant.fieldsOf()
  const csrf = fields.get('csrf')!
  const cookie = [...applicant.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = [
    fieldPart('csrf', csrf),
    fieldPart('shown', '/proof'),
    fieldPart('base', fields.get('base')!),
    fileHead(field, name),
  ].join('')
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST ${action} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\nCookie: ${cookie}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n${body}`,
  )
  socket.write(aPdf(200_000))
  const timer = everyMs === undefined ? undefined : setInterval(() => socket.write('%'), everyMs)
  const response = new Promise<string | undefined>(resolve => {
    socket.once('data', data => resolve(data.toString().split('\r\n')[0]))
    socket.once('close', () => resolve(undefined))
  }).finally(() => clearInterval(timer))
  return { socket, response }
}

test('an upload that is sent byte by byte ends at the deadline, and one that is broken off ends immediately', async () => {
  const slow = await useService(database, { apply: true, filesDir: { folder }, uploadMsMax: 700 }, {}, endWithTest)
  const before = await contents()
  const ann = await whoApplies('aid', slow)
  const begun = performance.now()
  expect(await sendEndlessly(ann, slow.port, 20, 'byte-by-byte.pdf').response).toContain('400')
  expect(performance.now() - begun).toBeLessThan(10_000)
  const due = async (name: string) =>
    (await sql`select from uploaded_file where name = ${name} and bytes is null and check_at <= now()`).length
  expect([await due('byte-by-byte.pdf'), await contents()]).toEqual([1, before])
  const bob = await whoApplies('aid', slow)
  const { socket } = sendEndlessly(bob, slow.port, undefined, 'broken-off.pdf')
  await until('the content is arriving', async () => (await contents()).length > before.length)
  socket.destroy()
  await until('nothing is left', async () => (await contents()).length === before.length)
  await until('the worker is to look', async () => (await due('broken-off.pdf')) === 1)
})

test('an address has a limited number of uploads at a time and per hour', async () => {
  const service = await useService(database, { apply: true, filesDir: { folder } }, {}, endWithTest)
  const waiting = []
  for (let i = 0; i < uploadsPerAddressMax; i++)
    waiting.push(sendEndlessly(await whoApplies('aid', service), service.port))
  await until(
    'they are arriving',
    async () =>
      (await sql`select from uploaded_file where name = 'slow.pdf' and bytes is null and check_at > now()`).length ===
      uploadsPerAddressMax,
  )
  // A form without a file takes no place.
  const eve = await whoApplies('aid', service)
  expect((await sendFiles(eve, [{ field, name: '', content: Buffer.alloc(0) }])).status).toBe(200)
  const ann = await whoApplies('aid', service)
  expect((await sendFiles(ann, [{ field, name: 'a.pdf', content: aPdf() }])).status).toBe(429)
  for (const { socket } of waiting) socket.destroy()
  await until(
    'they have ended',
    async () =>
      (await sql`select from uploaded_file where name = 'slow.pdf' and bytes is null and check_at > now()`).length ===
      0,
  )
  await ann.open('/apply/aid/screens/1')
  for (let sent = uploadsPerAddressMax; sent < applyUploadsMax; sent += 10) {
    const files = Array.from({ length: Math.min(10, applyUploadsMax - sent) }, () => ({
      field,
      name: '',
      content: aPng,
    }))
    await sendFiles(
      ann,
      files.map((file, i) => ({ ...file, name: `${sent + i}.html`, content: Buffer.from('no') })),
      { upload: field },
    )
    expect(ann.page.status).toBe(400)
  }
  expect((await sendFiles(ann, [{ field, name: 'a.pdf', content: aPdf() }])).status).toBe(429)
})

test('an applicant has a limited number of files, and no upload is visible in a log', async () => {
  const many = await useService(database, { apply: true, filesDir: { folder } }, {}, endWithTest)
  const ann = await whoApplies('aid', many)
  for (let i = 0; i < 5; i++) {
    const files = Array.from({ length: 20 }, (_, j) => ({ field, name: `private ${i} ${j}.png`, content: aPng }))
    await sendFiles(ann, files, { upload: field })
    expect(ann.page.status).toBe(200)
  }
  await sendFiles(ann, [{ field, name: 'one more.png', content: aPng }], { upload: field })
  expect([ann.page.status, ann.errors]).toEqual([400, [field]])
  expect(many.logText()).not.toMatch(/private|one more/)
})
