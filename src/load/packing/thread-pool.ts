// Threads that read blocks of lines, several at once. They take blocks in turn.

import type { LineBlock } from '../reading/line-blocks.ts'
import type { OpenProgram, ReadOptions } from '../reading/read-lines.ts'
import type { PackedApplications } from './pack-applications.ts'
import type { FromWorker, ToWorker } from './thread.ts'

interface Waiting {
  resolve: (packed: PackedApplications) => void
  reject: (error: unknown) => void
}

/** One thread. It is given one block at a time. */
class Thread {
  readonly #worker = new Worker(new URL('./thread.ts', import.meta.url))
  #waiting: Waiting | undefined
  /** Once it has failed it reads nothing more. */
  #failure: { error: unknown } | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    options: ReadOptions,
    private readonly openProgram: OpenProgram,
  ) {
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#receive(data)
    this.#worker.onerror = event => this.#fail(new Error(`a thread of the load failed: ${event.message}`))
    this.#send({ kind: 'options', options })
  }

  /** The block must not be touched any more. */
  read(block: LineBlock): Promise<PackedApplications> {
    const reading = this.#last.then(
      () =>
        new Promise<PackedApplications>((resolve, reject) => {
          if (this.#failure !== undefined) throw this.#failure.error
          this.#waiting = { resolve, reject }
          this.#send({ kind: 'block', block }, [block.bytes.buffer])
        }),
    )
    this.#last = reading
    return reading
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case 'packed':
        this.#waiting?.resolve(message.packed)
        break
      case 'failed':
        this.#fail(message.error)
        break
      case 'program': {
        const { slug } = message
        this.openProgram(slug).then(
          definition => this.#send({ kind: 'program', slug, definition }),
          error => this.#fail(error),
        )
      }
    }
  }

  #fail(error: unknown): void {
    this.#failure = { error }
    this.#waiting?.reject(error)
  }

  #send(message: ToWorker, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer)
  }

  end(): void {
    this.#worker.terminate()
  }
}

/** `count` threads, started at once. To be ended. */
export class LoadThreads {
  readonly #threads: Thread[]
  #next = 0

  constructor(count: number, options: ReadOptions, openProgram: OpenProgram) {
    this.#threads = Array.from({ length: count }, () => new Thread(options, openProgram))
  }

  /** Has a block read by the next thread in turn. The block must not be touched any more. */
  read(block: LineBlock): Promise<PackedApplications> {
    const thread = this.#threads[this.#next]!
    this.#next = (this.#next + 1) % this.#threads.length
    return thread.read(block)
  }

  end(): void {
    for (const thread of this.#threads) thread.end()
  }
}
