import { afterAll, beforeAll, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readTlsFiles } from '../../src/http/tls-files.ts'
import { type Problem, problemLines } from '../../src/problem.ts'
import { testCertificate } from '../support/certificate.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-tls-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(name: string, text: string): Promise<string> {
  await Bun.write(join(folder, name), text)
  return join(folder, name)
}

const refusal = async (cert: string, key: string): Promise<string[]> =>
  readTlsFiles(await written('cert.pem', cert), await written('key.pem', key)).then(
    () => [],
    error => problemLines(error as Problem),
  )

test('a certificate and its key, also with a chain behind it', async () => {
  const { cert, key } = testCertificate
  expect(await refusal(cert, key)).toEqual([])
  expect(await refusal(`${cert}\n${cert}`, key)).toEqual([])
})

test('what cannot be used is named, all at once, and no key is repeated', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const { cert, key } = testCertificate
  const noCertificate = `  TLS_CERT: ${folder}/cert.pem holds no certificate in PEM [unusable_setting]`
  const noKey = `  TLS_KEY: ${folder}/key.pem holds no private key in PEM, without a passphrase [unusable_setting]`
  const head = 'TLS cannot be ended with these files:'
  expect(await refusal('', 'words')).toEqual([head, noCertificate, noKey])
  expect(await refusal(key, key)).toEqual([head, noCertificate])
  expect(await refusal(cert, cert)).toEqual([head, noKey])
  expect(await refusal(cert, other)).toEqual([
    head,
    `  TLS_KEY: ${folder}/key.pem is not the private key of the first certificate in ${folder}/cert.pem [unusable_setting]`,
  ])
})
