// Where the content of uploaded files is kept: a folder, or an S3-compatible bucket. Names in it are random.

export interface FileStore {
  /** Stores content as it arrives; resolves once a crash loses nothing of it. What failed may be there in part, and is to be removed. */
  write(fileId: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** The content; undefined when there is none. */
  read(fileId: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Removes content, also where there is none. */
  remove(fileId: string): Promise<void>
}

export interface StoreSettings {
  filesDir: { folder: string } | { bucket: string; prefix: string } | undefined
  s3Endpoint: string
  s3Region: string
  s3AccessKeyId: string | undefined
  s3SecretAccessKey: string | undefined
}
