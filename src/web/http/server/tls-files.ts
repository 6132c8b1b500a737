// Reads the TLS certificate and private key, and verifies that they can be used.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { invalidRequest, type ProblemItem } from '../../../base/problem.ts'

/** TLS options of `Bun.serve`: PEM texts and the cipher suites of TLS 1.2. Those of TLS 1.3 are all secure and not configured. */
export interface TlsTexts {
  cert: string
  key: string
  ciphers: string
}

/** Authenticated encryption with forward secrecy. By default, Bun also offers CBC with SHA-1. */
const ciphers = ['ECDSA', 'RSA']
  .flatMap(kind =>
    ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].map(suite => `ECDHE-${kind}-${suite}`),
  )
  .join(':')

/**
 * A matching certificate and private key. Throws a Problem with errors for TLS_CERT and TLS_KEY, or the file system's error if a file cannot
 * be read.
 */
export async function readTlsFiles(certFile: string, keyFile: string): Promise<TlsTexts> {
  const cert = await readFile(certFile, 'utf8')
  const key = await readFile(keyFile, 'utf8')
  const errors: ProblemItem[] = []
  const error = (parameter: string, detail: string): undefined => {
    errors.push({ parameter, code: 'unusable_setting', detail })
  }
  const certificate =
    parsed(() => new X509Certificate(cert)) ?? error('TLS_CERT', `${certFile} does not contain a PEM certificate`)
  const privateKey =
    parsed(() => createPrivateKey(key)) ??
    error('TLS_KEY', `${keyFile} does not contain a PEM private key without a passphrase`)
  if (certificate !== undefined && privateKey !== undefined && !belongs(certificate, privateKey))
    error('TLS_KEY', `${keyFile} is not the private key of the first certificate in ${certFile}`)
  if (errors.length > 0) throw invalidRequest('TLS cannot be started with these files:', errors)
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
