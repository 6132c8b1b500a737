// Faults injected into a running installation. Each fault ends on its own, and the installation must recover without help.

import { connect, type Socket } from 'node:net'
import { pick, type Rng } from '../../src/domain/random/seeded-random.ts'
import type { Mirror } from './actors/mirror.ts'
import { exportPath } from './actors/readers.ts'
import type { Installation } from './installation/installation.ts'
import { lockApplications } from './installation/soak-statements.ts'

export interface Infliction {
  name: string
  /** Why it is impossible on this machine; undefined if it is possible. */
  isBeyond?(installation: Installation): string | undefined
  run(scene: Scene): Promise<void>
}

/** The installation that faults are injected into. */
interface Scene {
  installation: Installation
  mirror: Mirror
  authorization: string
  random: Rng
}

export const faults: readonly Infliction[] = [
  {
    name: 'service killed',
    run: async ({ installation, random }) => pick(random, installation.services).process.kill('SIGKILL'),
  },
  {
    name: 'service restarted',
    run: async ({ installation, random }) => pick(random, installation.services).process.kill('SIGTERM'),
  },
  { name: 'worker killed', run: async ({ installation }) => installation.worker.kill('SIGKILL') },
  { name: 'following client killed', run: async ({ mirror }) => mirror.process.kill('SIGKILL') },
  { name: 'PostgreSQL killed', run: async ({ installation }) => installation.database.kill() },
  {
    name: 'standby promoted',
    run: async ({ installation }) => {
      await installation.database.failOver()
      installation.network.cut()
    },
  },
  {
    name: 'Redis killed',
    isBeyond: ({ redis }) => (redis === undefined ? 'redis-server is not on PATH' : undefined),
    run: async ({ installation }) => installation.redis?.kill('SIGKILL'),
  },
  { name: 'network cut', run: async ({ installation }) => installation.network.cut() },
  {
    name: 'network paused',
    run: async ({ installation: { network } }) => {
      network.pause()
      await Bun.sleep(7000)
      network.resume()
    },
  },
  {
    name: 'network throttled',
    run: async ({ installation: { network } }) => {
      network.throttle(400_000)
      await Bun.sleep(3000)
      network.resume()
    },
  },
  {
    name: 'applications locked',
    run: async ({ installation: { sql } }) => {
      await lockApplications(sql, 3000).catch(() => {})
    },
  },
  {
    name: '200 slow readers',
    run: async ({ installation, authorization }) => holdReaders(installation, authorization, 200, 4000),
  },
  {
    name: '50 readers that vanish',
    run: async ({ installation, authorization }) => holdReaders(installation, authorization, 50, 50),
  },
  {
    name: 'disk full',
    isBeyond: ({ disk }) => (disk === undefined ? 'only root can give the database a disk of its own' : undefined),
    run: async ({ installation: { disk } }) => {
      await disk?.fill()
      await Bun.sleep(3000)
      await disk?.free()
    },
  },
  {
    name: 'clock set back an hour',
    isBeyond: ({ setClock }) => (setClock === undefined ? 'libfaketime is not installed' : undefined),
    run: async ({ installation: { setClock } }) => {
      await setClock?.(-3600)
      await Bun.sleep(3000)
      await setClock?.(0)
    },
  },
]

/** Clients that request everything and read nothing, until they disappear without closing. */
async function holdReaders(
  { services }: Installation,
  authorization: string,
  readers: number,
  forMs: number,
): Promise<void> {
  const sockets: Socket[] = []
  for (let n = 0; n < readers; n++) {
    const { port } = new URL(services[n % services.length]!.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${exportPath} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`)
    sockets.push(socket)
  }
  await Bun.sleep(forMs)
  for (const socket of sockets) socket.resetAndDestroy()
}
