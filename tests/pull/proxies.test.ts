// `tributary pull` behind a proxy, and with an authority of one's own: by the variables that PULL.md names.

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { testCertificate } from '../support/certificate.ts'
import { endWithFile, useExport, useFolder } from '../support/fixtures.ts'
import { endOf } from '../support/run.ts'
import { startTool } from '../support/tributary-tool.ts'

const { service, key, slug } = await useExport({ applications: 30, service: { tls: testCertificate } })
const folder = await useFolder()
const authority = join(folder, 'authority.pem')
writeFileSync(authority, testCertificate.cert)

/** Where connections were asked for. */
const connections: string[] = []
const proxy = createServer((_, response) => void response.writeHead(405).end())
proxy.on('connect', (request, client) => {
  connections.push(request.url!)
  const [host, port] = request.url!.split(':')
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    upstream.pipe(client)
    client.pipe(upstream)
  })
  for (const socket of [upstream, client]) socket.on('error', () => {})
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
endWithFile(async () => {
  proxy.closeAllConnections()
  proxy.close()
})
const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

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
])('%s', async (_, environment, proxied) => {
  expect(await pull(environment)).toMatchObject({ code: 0, proxied: new Set(proxied) })
})

test('an authority that is not known: 1, at once, and the variable that mends it; of a proxy that is away: not everything came yet', async () => {
  expect(await pull({})).toMatchObject({ code: 1, err: expect.stringContaining('NODE_EXTRA_CA_CERTS') })
  expect(await pull({ HTTPS_PROXY: 'http://127.0.0.1:9' })).toMatchObject({ code: 3 })
})
