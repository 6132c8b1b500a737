// Chooses where uploaded files are kept.

import { BucketStore } from './bucket-store.ts'
import type { FileStore, StoreSettings } from './file-store.ts'
import { FolderStore } from './folder-store.ts'

/** The configured file storage; undefined if files can't be uploaded. Doesn't open anything yet. */
export function openFileStore(settings: StoreSettings): FileStore | undefined {
  const { filesDir } = settings
  if (filesDir === undefined) return undefined
  if ('folder' in filesDir) return new FolderStore(filesDir.folder)
  return new BucketStore(filesDir, settings)
}
