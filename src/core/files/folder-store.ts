// Uploaded files in a folder, spread over subfolders by the first two letters of their random names.

import { mkdir, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileStore } from './file-store.ts'

export class FolderStore implements FileStore {
  constructor(private readonly folder: string) {}

  #pathOf = (fileId: string): string => join(this.folder, fileId.slice(0, 2), fileId)

  async write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const path = this.#pathOf(fileId)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of chunks) await file.writeFile(chunk)
      await file.sync()
    } finally {
      await file.close()
    }
    // So that the new entry in the folder survives a crash, too.
    const folder = await open(dirname(path))
    await folder.sync().finally(() => folder.close())
  }

  async read(fileId: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = Bun.file(this.#pathOf(fileId))
    return (await file.exists()) ? file.stream() : undefined
  }

  remove = (fileId: string): Promise<void> => rm(this.#pathOf(fileId), { force: true })
}
