// Where files are stored: an S3-compatible storage, also while it is down, and a service that is killed while a file arrives.

import { afterEach, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import S3rver from '@20minutes/s3rver'
import { eraseUnneededFiles } from '../../../src/core/files/erase-files.ts'
import { FolderStore } from '../../../src/core/files/folder-store.ts'
import { openFileStore } from '../../../src/core/files/open-file-store.ts'
import { Applicant } from '../../support/applicant.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { aPdf, fieldPart, fileHead, sendFiles } from '../../support/files.ts'
import { endWithTest, useDatabase, useFolder, useService } from '../../support/fixtures.ts'
import { endProcesses, startMain, startWorker } from '../../support/processes.ts'
import { aProgram, q } from '../../support/programs.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

afterEach(endProcesses)

const database = await useDatabase()
const { sql } = database
const field = '/proof/file_urls'
const silenceMs = 10_000
await aProgram(sql, {
  slug: 'aid',
  questions: [q.file('proof', { max_megabytes: 50, optional: true }), q.text('reason')],
})

/** A small S3 that keeps its objects in a folder. */
async function anS3(directory: string, port = 0) {
  const configureBuckets = [{ name: 'uploads', configs: [] }]
  const server = new S3rver({ address: '127.0.0.1', port, silent: true, directory, configureBuckets })
  return { port: (await server.run()).port, close: () => server.close() }
}

const bucketAt = (port: number) => ({
  filesDir: { bucket: 'uploads', prefix: 'files/' },
  s3Endpoint: `http://127.0.0.1:${port}`,
  s3AccessKeyId: 'S3RVER',
  s3SecretAccessKey: 'S3RVER',
})

async function whoApplies(service: Pick<TestService, 'get' | 'baseUrl'>): Promise<Applicant> {
  const applicant = new Applicant(service)
  await applicant.open('/apply/aid/screens/1')
  return applicant
}

/** The names of what is stored in a folder. */
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).flatMap(path => /[0-9a-f]{40}/.exec(path)?.[0] ?? [])

test('files are stored in a bucket, in several parts if they are long, and an outage of the storage loses no answer', async () => {
  const directory = await useFolder(endWithTest)
  const s3 = await anS3(directory)
  const service = await useService(database, { apply: true, ...bucketAt(s3.port) }, {}, endWithTest)
  const ann = await whoApplies(service)
  const long = aPdf(23_000_000, 'long')
  await sendFiles(ann, [{ field, name: 'long.pdf', content: long }], { upload: field })
  await sendFiles(ann, [{ field, name: 'short.pdf', content: aPdf(100) }], { go: 'next', '/reason/text': 'Rent' })
  await ann.open('/apply/aid/check')
  await ann.submit()
  expect(ann.page.path).toBe('/apply/aid/received')
  const stored = await sql<
    { file_id: string; bytes: number }[]
  >`select file_id, bytes from uploaded_file order by bytes desc`
  expect(stored.map(({ bytes }) => bytes)).toEqual([23_000_000, 100])
  expect(new Set(await namesIn(directory))).toEqual(new Set(stored.map(({ file_id }) => file_id)))
  const visitor = await new ConsoleVisitor(service).signIn((await aPerson(sql)).email)
  const path = `/admin/programs/aid/files/${stored[0]!.file_id}`
  expect(Buffer.from(await (await visitor.get(path)).arrayBuffer()).equals(long)).toBe(true)
  // Too large for its question: nothing is left.
  const tooLarge = await whoApplies(service)
  await sendFiles(tooLarge, [{ field, name: 'huge.pdf', content: aPdf(50_000_001) }], { upload: field })
  expect(tooLarge.errors).toEqual([field])
  expect(new Set(await namesIn(directory)).size).toBe(2)

  await s3.close()
  const audited = async () => (await sql`select from audit_event where action = 'file_downloaded'`).length
  const downloads = await audited()
  expect([(await visitor.get(path)).status, await audited()]).toEqual([503, downloads])
  const bob = await whoApplies(service)
  await sendFiles(bob, [{ field, name: 'a.pdf', content: aPdf() }], { go: 'next', '/reason/text': 'Typed' })
  expect([bob.page.status, bob.errors]).toEqual([400, [field]])
  expect(bob.page.html).toContain('value="Typed"')
  await bob.fill({})
  expect(bob.page.path).toStartWith('/apply/-/code')
  await sql`update uploaded_file set check_at = now() where name = 'a.pdf'`
  await expect(eraseUnneededFiles(sql, service.fileStore, silenceMs)).rejects.toThrow()

  const again = await anS3(directory, s3.port)
  endWithTest(() => again.close())
  await sql`update uploaded_file set check_at = now()`
  await eraseUnneededFiles(sql, service.fileStore, silenceMs)
  expect((await sql`select name from uploaded_file order by name`).map(({ name }) => name)).toEqual([
    'long.pdf',
    'short.pdf',
  ])
  expect(new Set(await namesIn(directory)).size).toBe(2)
  expect((await visitor.get(path)).status).toBe(200)
})

test('a bucket that never responds ends a round of erasing at the first file', async () => {
  const listener = createServer(() => {})
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  endWithTest(() => void listener.close())
  const settings = { s3Region: 'us-east-1', ...bucketAt((listener.address() as AddressInfo).port) }
  const store = openFileStore(settings)
  const [{ program_id }] = await sql<[{ program_id: number }]>`select program_id from program where slug = 'aid'`
  const ids = ['a', 'b', 'c'].map(letter => letter.repeat(40))
  for (const file_id of ids)
    await sql`
      insert into uploaded_file (program_id, file_id, applicant_id, name, check_at)
      values (${program_id}, ${file_id}, 1, 'silent.pdf', now() - interval '1 day')`
  const begun = performance.now()
  await expect(eraseUnneededFiles(sql, store, 200)).rejects.toThrow()
  expect(performance.now() - begun).toBeLessThan(5000)
  const due = await sql`select erasing, check_at > now() as is_later from uploaded_file where file_id = any(${ids})`
  expect([...due]).toEqual(ids.map(() => ({ erasing: true, is_later: true })) as never)
  // Where it responds again, all are erased.
  await sql`update uploaded_file set check_at = now() where file_id = any(${ids})`
  expect(await eraseUnneededFiles(sql, new FolderStore(await useFolder(endWithTest)), silenceMs)).toBe(3)
})

test('what a service killed during an upload leaves is erased by a worker a day later', async () => {
  const folder = await useFolder(endWithTest)
  const main = await startMain(database, { APPLY: 'on', FILES_DIR: folder })
  const service = {
    baseUrl: main.url,
    get: (path: string, init?: RequestInit) => fetch(`${main.url}${path}`, { redirect: 'manual', ...init }),
  }
  const ann = await whoApplies(service)
  const { port } = new URL(main.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  const { fields } = ann.fieldsOf()
  socket.write(
    `POST /apply/aid/screens/1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${main.url}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 9000000\r\n\r\n${fieldPart('csrf', '')}${fieldPart('base', fields.get('base')!)}${fieldPart('shown', '/proof')}${fileHead(field, 'half.pdf')}`,
  )
  socket.write(aPdf(300_000))
  await until('the file is arriving', async () => (await namesIn(folder)).length === 1)
  main.child.kill('SIGKILL')
  await main.child.exited
  socket.destroy()
  const [half] = await namesIn(folder)
  const store = new FolderStore(folder)
  expect(await eraseUnneededFiles(sql, store, silenceMs)).toBe(0)
  expect([...(await sql`select file_id, bytes from uploaded_file where name = 'half.pdf'`)]).toEqual([
    { file_id: half, bytes: null },
  ] as never)
  await sql`update uploaded_file set check_at = check_at - interval '24 hours' where name = 'half.pdf'`
  await startWorker(database, { FILES_DIR: folder })
  await until('the worker has erased it', async () => (await namesIn(folder)).length === 0)
  await until(
    'its row is gone',
    async () => (await sql`select from uploaded_file where name = 'half.pdf'`).length === 0,
  )
  // Again, as after a crash between the two.
  await store.remove(half!)
})
