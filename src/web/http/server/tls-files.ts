// Reads the certificate and key that TLS ends with, and verifies beforehand that it can.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { invalidRequest, type ProblemItem } from '../../../base/problem.ts'

/** What `Bun.serve` takes: texts in PEM, and the cipher suites of TLS 1.2. Those of TLS 1.3 are not chosen, and all are good. */
export interface TlsTexts {
  cert: string
  key: string
  ciphers: string
}

/** Authenticated encryption under a key that is gone with the connection. Left to itself, Bun offers CBC with SHA-1 too. */
const ciphers = ['ECDSA', 'RSA']
  .flatMap(kind =>
    ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map(suite => `ECDHE-${kind}-${suite}`),
  )
  .join(':')

/**
 * Certificate and private key, which belong to each other. Throws a Problem that names TLS_CERT and TLS_KEY by what is wrong with
 * them, and what the file system says of a file that cannot be read.
 */
export async function readTlsFiles(certFile: string, keyFile: string): Promise<TlsTexts> {
  const cert = await readFile(certFile, 'utf8')
  const key = await readFile(keyFile, 'utf8')
  const errors: ProblemItem[] = []
  const error = (parameter: string, detail: string): undefined => {
    errors.push({ parameter, code: 'unusable_setting', detail })
  }
  const certificate =
    parsed(() => new X509Certificate(cert)) ?? error('TLS_CERT', `${certFile} holds no certificate in PEM`)
  const privateKey =
    parsed(() => createPrivateKey(key)) ??
    error('TLS_KEY', `${keyFile} holds no private key in PEM, without a passphrase`)
  if (certificate !== undefined && privateKey !== undefined && !belongs(certificate, privateKey))
    error('TLS_KEY', `${keyFile} is not the private key of the first certificate in ${certFile}`)
  if (errors.length > 0) throw invalidRequest('TLS cannot be ended with these files:', errors)
  return { cert, key, ciphers }
}

const belongs = (certificate: X509Certificate, key: KeyObject): boolean => certificate.checkPrivateKey(key)

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
