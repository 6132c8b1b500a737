// A thread that reads blocks of lines for a load. Started by thread-pool, one message for each block and one for each answer.
// It has no connection to the database: programs are asked for and sent to it.

import type { LoadDefinition } from '../reading/known-program.ts'
import type { LineBlock } from '../reading/line-blocks.ts'
import { BlockReader, type ReadOptions } from '../reading/read-lines.ts'
import type { PackedApplications } from './pack-applications.ts'

export type ToWorker =
  | { kind: 'options'; options: ReadOptions }
  | { kind: 'block'; block: LineBlock }
  | { kind: 'program'; slug: string; definition: LoadDefinition | undefined }

export type FromWorker =
  | { kind: 'packed'; packed: PackedApplications }
  | { kind: 'program'; slug: string }
  | { kind: 'failed'; error: unknown }

declare const self: Worker

let reader: BlockReader | undefined
const asked = new Map<string, (definition: LoadDefinition | undefined) => void>()

function openProgram(slug: string): Promise<LoadDefinition | undefined> {
  return new Promise(resolve => {
    asked.set(slug, resolve)
    send({ kind: 'program', slug })
  })
}

function send(message: FromWorker, transfer: ArrayBuffer[] = []): void {
  postMessage(message, transfer)
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  try {
    if (data.kind === 'options') {
      reader = new BlockReader(data.options, openProgram)
    } else if (data.kind === 'program') {
      asked.get(data.slug)?.(data.definition)
      asked.delete(data.slug)
    } else {
      const packed = await reader!.read(data.block)
      send({ kind: 'packed', packed }, [packed.columns.buffer, packed.applications.buffer, packed.annotations.buffer])
    }
  } catch (error) {
    send({ kind: 'failed', error })
  }
}
