// Stores uploaded files in an S3-compatible bucket, under a prefix.

import type { FileStore, StoreSettings } from './file-store.ts'

/** The smallest part that S3 accepts. Each upload holds this much in memory. */
const partBytes = 5 * 1024 * 1024

export class BucketStore implements FileStore {
  readonly #client: Bun.S3Client
  readonly #prefix: string

  constructor(
    { bucket, prefix }: { bucket: string; prefix: string },
    { s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey }: StoreSettings,
  ) {
    this.#prefix = prefix
    this.#client = new Bun.S3Client({
      bucket,
      endpoint: s3Endpoint,
      region: s3Region,
      accessKeyId: s3AccessKeyId!,
      secretAccessKey: s3SecretAccessKey!,
    })
  }

  #file = (fileId: string): Bun.S3File => this.#client.file(`${this.#prefix}${fileId}`)

  async write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const writer = this.#file(fileId).writer({ partSize: partBytes, queueSize: 1, type: 'application/octet-stream' })
    let waiting = 0
    try {
      for await (const chunk of chunks) {
        await writer.write(chunk)
        waiting += chunk.length
        if (waiting < partBytes) continue
        waiting = 0
        await writer.flush()
      }
    } catch (error) {
      // Otherwise the uploaded parts would remain in the bucket, where no listing shows them.
      await Promise.resolve(writer.end()).catch(() => {})
      throw error
    }
    await writer.end()
  }

  async read(fileId: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const file = this.#file(fileId)
    return (await file.exists()) ? file.stream() : undefined
  }

  remove = (fileId: string): Promise<void> => this.#file(fileId).delete()
}
