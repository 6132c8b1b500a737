// Where the content of uploaded files is kept: a folder or an S3-compatible bucket, under random names.

export interface FileStore {
  /** Stores content as it arrives; resolves once it survives a crash. If this fails, part of it may remain, and the caller removes it. */
  write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** The content; undefined if there is none. */
  read(fileId: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Removes content, if there is any. */
  remove(fileId: string): Promise<void>
}

export interface StoreSettings {
  filesDir: { folder: string } | { bucket: string; prefix: string } | undefined
  s3Endpoint: string
  s3Region: string
  s3AccessKeyId: string | undefined
  s3SecretAccessKey: string | undefined
}
