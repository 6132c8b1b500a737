// A socket as C programs have it: connect, write, and a read that waits, into one buffer that is used over and over.
// Linux only. For the drain, where Bun's own sockets (a new buffer and a callback for
// each arrival) cost more than the rest of the client together.

import { dlopen, FFIType } from 'bun:ffi'

const symbols = {
  socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
  connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  read: { args: ['i32', 'ptr', 'u64'], returns: FFIType.i64_fast },
  write: { args: ['i32', 'ptr', 'u64'], returns: FFIType.i64_fast },
  close: { args: ['i32'], returns: 'i32' },
} as const

/** The C library of Debian and its like, then of Alpine and its like. */
const libraryNames = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1']

function openLibrary() {
  for (const name of libraryNames) {
    try {
      return dlopen(name, symbols).symbols
    } catch {}
  }
  throw new Error(`none of ${libraryNames.join(', ')} can be opened`)
}

export type SocketAddress = { path: string } | { port: number }

const familyUnix = 1
const familyInternet = 2
const stream = 1
const socketLevel = 1
const receiveTimeout = 20

/** Opened once; a process that never opens a socket never needs it. */
const theLibrary = (() => {
  let opened: ReturnType<typeof openLibrary> | undefined
  return () => {
    opened ??= openLibrary()
    return opened
  }
})()

export class BlockingSocket {
  readonly #library = theLibrary()
  readonly #descriptor: number

  /** Connects to a Unix socket, or to a port of 127.0.0.1. A read that waits longer than `timeoutSeconds` throws. */
  constructor(address: SocketAddress, timeoutSeconds: number) {
    const packed = 'path' in address ? unixAddress(address.path) : loopbackAddress(address.port)
    this.#descriptor = this.#library.socket('path' in address ? familyUnix : familyInternet, stream, 0)
    const timeout = new BigInt64Array([BigInt(timeoutSeconds), 0n])
    if (
      this.#descriptor < 0 ||
      this.#library.setsockopt(this.#descriptor, socketLevel, receiveTimeout, timeout, timeout.byteLength) < 0 ||
      this.#library.connect(this.#descriptor, packed, packed.length) < 0
    )
      throw new Error(`cannot connect to ${JSON.stringify(address)}`)
  }

  write(bytes: Uint8Array): void {
    for (let sent = 0; sent < bytes.length; ) {
      const rest = bytes.subarray(sent)
      const count = Number(this.#library.write(this.#descriptor, rest, rest.length))
      if (count <= 0) throw new Error('the socket takes no more')
      sent += count
    }
  }

  /** Waits for bytes and returns how many now stand at the start of `into`. */
  read(into: Uint8Array): number {
    const count = Number(this.#library.read(this.#descriptor, into, into.length))
    if (count <= 0) throw new Error(count === 0 ? 'the server closed the connection' : 'nothing came in time')
    return count
  }

  close(): void {
    this.#library.close(this.#descriptor)
  }
}

function unixAddress(path: string): Uint8Array {
  const text = Buffer.from(path)
  if (text.length > 107) throw new Error(`the path of a Unix socket has at most 107 bytes: ${path}`)
  const packed = Buffer.alloc(110)
  packed.writeUInt16LE(familyUnix, 0)
  text.copy(packed, 2)
  return packed
}

function loopbackAddress(port: number): Uint8Array {
  const packed = Buffer.alloc(16)
  packed.writeUInt16LE(familyInternet, 0)
  packed.writeUInt16BE(port, 2)
  packed.set([127, 0, 0, 1], 4)
  return packed
}
