// A proxy of a network, for what a client connects to with CONNECT; it notes where to.

import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { endWithFile } from './fixtures.ts'

export async function useConnectProxy(): Promise<{ url: string; connections: string[] }> {
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
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, connections }
}
