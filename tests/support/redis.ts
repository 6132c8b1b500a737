// A real Redis for tests, on a free port of loopback; it can be taken away and brought back.

import { endWithParent } from '../../scripts/processes/end-with-parent.ts'
import { freePort } from '../../scripts/processes/free-port.ts'
import { endWithFile, useFolder } from './fixtures.ts'
import { findNeeded } from './needs.ts'
import { until } from './until.ts'

export interface TestRedis {
  url: string
  /** Kills the server. Its data is lost unless saved before. */
  takeAway(): Promise<void>
  /** Starts it again on the same port, with no data. */
  bringBack(): Promise<void>
  /** Suspends it: connections stay open, and nothing is answered until it continues. */
  pause(): void
  goOn(): void
}

/** Until the file ends. With `cluster` it is a cluster of one node, with a cluster's restrictions. */
export async function useRedis(options: { cluster?: boolean } = {}): Promise<TestRedis> {
  const binary = findNeeded('redis')
  if (binary === undefined) throw new Error('define these tests only where needs("redis") is true')
  const directory = await useFolder()
  // The nodes of a cluster also use the port 10,000 above.
  const port = await freePort({ further: 10_000 })
  let server: Bun.Subprocess | undefined

  const bringBack = async (): Promise<void> => {
    const clustered = options.cluster === true ? ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] : []
    const settings = `--port ${port} --bind 127.0.0.1 --dir ${directory} --appendonly no`.split(' ')
    const command = [binary, ...settings, '--save', '', ...clustered]
    server = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
    endWithParent(server, { signal: 'SIGKILL', remove: directory })
    await until('Redis to answer', async () => (await ask(port, 'PING')).startsWith('+PONG'))
    if (options.cluster !== true) return
    await ask(port, 'CLUSTER ADDSLOTSRANGE 0 16383')
    await until('the cluster to be whole', async () => (await ask(port, 'CLUSTER INFO')).includes('cluster_state:ok'))
  }
  const takeAway = async (): Promise<void> => {
    server?.kill('SIGKILL')
    await server?.exited
  }
  endWithFile(takeAway)
  await bringBack()
  return {
    url: `redis://127.0.0.1:${port}`,
    takeAway,
    bringBack,
    pause: () => server?.kill('SIGSTOP'),
    goOn: () => server?.kill('SIGCONT'),
  }
}

/** The response to one command, or an empty text if there is none. */
async function ask(port: number, command: string): Promise<string> {
  return new Promise(resolve => {
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: socket => void socket.write(`${command}\r\n`),
        data: (socket, data) => {
          resolve(data.toString())
          socket.end()
        },
        close: () => resolve(''),
      },
    }).catch(() => resolve(''))
  })
}
