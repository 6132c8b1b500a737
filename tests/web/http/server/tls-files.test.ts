import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { type Problem, problemLines } from '../../../../src/base/problem.ts'
import { readTlsFiles } from '../../../../src/web/http/server/tls-files.ts'
import { testCertificate } from '../../../support/certificate.ts'
import { useFolder } from '../../../support/fixtures.ts'

const folder = await useFolder()

async function written(name: string, text: string): Promise<string> {
  await Bun.write(join(folder, name), text)
  return join(folder, name)
}

const refusal = async (cert: string, key: string): Promise<string[]> =>
  readTlsFiles(await written('cert.pem', cert), await written('key.pem', key)).then(
    () => [],
    error => problemLines(error as Problem),
  )

test('a certificate and its key are read, also with a chain', async () => {
  const { cert, key } = testCertificate
  expect(await refusal(cert, key)).toEqual([])
  expect(await refusal(`${cert}\n${cert}`, key)).toEqual([])
})

test('unusable files are reported all at once, without revealing a key', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const { cert, key } = testCertificate
  const wrong = (setting: string, ...files: string[]) =>
    expect.stringMatching(
      new RegExp(`^ {2}${setting}: ${files.map(file => `${join(folder, file)} .*`).join('')}\\[unusable_setting\\]$`),
    )
  const [noCertificate, noKey] = [wrong('TLS_CERT', 'cert.pem'), wrong('TLS_KEY', 'key.pem')]
  expect((await refusal('', 'words')).slice(1)).toEqual([noCertificate, noKey])
  expect((await refusal(key, key)).slice(1)).toEqual([noCertificate])
  expect((await refusal(cert, cert)).slice(1)).toEqual([noKey])
  // Both are good, and do not belong together.
  expect((await refusal(cert, other)).slice(1)).toEqual([
    expect.stringMatching(/^ {2}TLS_KEY: .*key\.pem .*cert\.pem \[/),
  ])
})

/** The suite and version that a client with these settings gets, or undefined when the server has none of them. */
async function agreed(port: number, settings: { ciphers?: string; maxVersion?: 'TLSv1.1' | 'TLSv1.2' }) {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...settings }, () => {
    resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
    socket.destroy()
  })
  socket.on('error', () => resolve(undefined))
  return promise
}

test('TLS 1.2 offers only authenticated encryption with forward secrecy, and older versions are refused', async () => {
  const tls = await readTlsFiles(
    await written('cert.pem', testCertificate.cert),
    await written('key.pem', testCertificate.key),
  )
  const fetch = () => new Response()
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, tls, fetch })
  // What Bun offers by default: the suites that are refused are such as a client could have had.
  const { cert, key } = tls
  const unreported = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, tls: { cert, key }, fetch })
  try {
    for (const suite of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305']) {
      const ciphers = `ECDHE-ECDSA-${suite}`
      expect(await agreed(server.port!, { ciphers, maxVersion: 'TLSv1.2' })).toBe(`TLSv1.2 ${ciphers}`)
    }
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA']) {
      expect(await agreed(unreported.port!, { ciphers, maxVersion: 'TLSv1.2' })).toBe(`TLSv1.2 ${ciphers}`)
      expect(await agreed(server.port!, { ciphers, maxVersion: 'TLSv1.2' })).toBeUndefined()
    }
    expect(await agreed(server.port!, {})).toStartWith('TLSv1.3 ')
    expect(await agreed(server.port!, { maxVersion: 'TLSv1.1' })).toBeUndefined()
  } finally {
    await server.stop(true)
    await unreported.stop(true)
  }
})
