// `tributary pull` behind a proxy, and with an authority of one's own: by the variables that PULL.md names.

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCertificate } from '../../support/certificate.ts'
import { useConnectProxy } from '../../support/connect-proxy.ts'
import { useExport, useFolder } from '../../support/fixtures.ts'
import { endOf } from '../../support/run.ts'
import { startTool } from '../../support/tributary-tool.ts'

const { service, key, slug } = await useExport({ applications: 30, service: { tls: testCertificate } })
const folder = await useFolder()
const authority = join(folder, 'authority.pem')
writeFileSync(authority, testCertificate.cert)

const { url: proxyUrl, connections } = await useConnectProxy()

let files = 0
async function pull(environment: Record<string, string>) {
  const out = join(folder, `${++files}.ndjson`)
  connections.length = 0
  const args = ['pull', service.baseUrl, '--program', slug, '--out', out, '--retries', '0']
  const { code, err } = await endOf(startTool(key, args, undefined, environment))
  return { code, err, proxied: new Set(connections) }
}
const host = new URL(service.baseUrl).host

test.each<[string, Record<string, string>, string[]]>([
  ['NODE_EXTRA_CA_CERTS', { NODE_EXTRA_CA_CERTS: authority }, []],
  ['SSL_CERT_FILE', { SSL_CERT_FILE: authority }, []],
  ['HTTPS_PROXY', { NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: proxyUrl }, [host]],
  ['NO_PROXY', { NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: proxyUrl, NO_PROXY: '127.0.0.1' }, []],
])('a pull respects %s', async (_, environment, proxied) => {
  expect(await pull(environment)).toMatchObject({ code: 0, proxied: new Set(proxied) })
})

test('a pull exits with 1 and names the variable to set for an unknown authority, and with 3 for an unreachable proxy', async () => {
  expect(await pull({})).toMatchObject({ code: 1, err: expect.stringContaining('NODE_EXTRA_CA_CERTS') })
  const later = { code: 3, err: expect.stringContaining('ECONNREFUSED') }
  expect(await pull({ HTTPS_PROXY: 'http://127.0.0.1:9' })).toMatchObject(later)
})
