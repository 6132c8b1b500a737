// The sockets of this process that clients are connected to, and closing one of them. Bun's server tells neither who is connected
// before a request has come, nor lets anybody close such a connection, so the operating system is asked.

import { dlopen, FFIType } from 'bun:ffi'
import { readdirSync, readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'

export interface OpenSocket {
  fd: number
  /** Of the other end, as Bun writes it. */
  address: string
  port: number
}

export interface OpenSockets {
  /** Descriptors that this process may have open at most, and has open now. */
  descriptorsMax: number
  descriptors(): number
  /** Connections that were accepted on a port. Needs no descriptor, so that it works when none is left. */
  acceptedOn(port: number): OpenSocket[]
  /** Ends a connection in both directions; the server then closes it as it does when a client goes. */
  end(socket: OpenSocket): void
}

const { int, ptr } = FFIType
const [ipv4Family, ipv6Family, bothDirections] = [2, 10, 2]

/** Undefined where the operating system is not Linux, or its C library is not found. */
export function openSockets(): OpenSockets | undefined {
  if (process.platform !== 'linux') return undefined
  const libc = openLibc()
  if (libc === undefined) return undefined
  const descriptorsMax = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024)
  const name = new Uint8Array(128)
  const length = new Uint32Array(1)
  const ask = (question: (fd: number, name: Uint8Array, length: Uint32Array) => number, fd: number): boolean => {
    length[0] = name.length
    return question(fd, name, length) === 0
  }
  const portOf = (): number => name[2]! * 256 + name[3]!
  const list = (): readonly (number | string)[] => {
    try {
      return readdirSync('/proc/self/fd')
    } catch {
      // To list them takes a descriptor, and none is left: all of them, then.
      return Array.from({ length: descriptorsMax }, (_, fd) => fd)
    }
  }
  return {
    descriptorsMax,
    descriptors: () => list().length,
    acceptedOn(port) {
      const found: OpenSocket[] = []
      for (const entry of list()) {
        const fd = Number(entry)
        if (!ask(libc.getsockname, fd) || !isInternet(name) || portOf() !== port) continue
        // One that listens has no other end.
        if (ask(libc.getpeername, fd)) found.push({ fd, address: addressOf(name), port: portOf() })
      }
      return found
    },
    end: ({ fd }) => void libc.shutdown(fd, bothDirections),
  }
}

function openLibc() {
  for (const file of ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]) {
    try {
      return dlopen(file, {
        getsockname: { args: [int, ptr, ptr], returns: int },
        getpeername: { args: [int, ptr, ptr], returns: int },
        shutdown: { args: [int, int], returns: int },
      }).symbols
    } catch {}
  }
  return undefined
}

const isInternet = (name: Uint8Array): boolean => name[0] === ipv4Family || name[0] === ipv6Family

/** The address in a `sockaddr`. */
function addressOf(name: Uint8Array): string {
  if (name[0] === ipv4Family) return name.subarray(4, 8).join('.')
  const address = new ipaddr.IPv6([...name.subarray(8, 24)])
  return address.isIPv4MappedAddress() ? `::ffff:${address.toIPv4Address().toString()}` : address.toRFC5952String()
}
