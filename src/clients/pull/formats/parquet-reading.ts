// Reads Parquet files of earlier pulls and finds their row groups. Only one group is in memory at a time.

import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  type RowGroup,
} from 'hyparquet'

/** Texts as they are: a decoder without this option strips a leading byte order mark. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const parsers = { stringFromBytes: (bytes: Uint8Array) => bytes && decoder.decode(bytes) }

export interface ParquetContents {
  file: AsyncBuffer
  metadata: FileMetaData
}

/** Rejects if it is not a Parquet file. */
export async function openParquet(path: string): Promise<ParquetContents> {
  const file = await asyncBufferFromFile(path)
  return { file, metadata: await parquetMetadataAsync(file, { parsers }) }
}

/** The rows from a group on, group by group, each row with the values of `columns` or of all columns. */
export async function* parquetRows(
  { file, metadata }: ParquetContents,
  fromGroup: number,
  columns?: string[],
): AsyncGenerator<unknown[][], void, undefined> {
  // Decimals as the integers that they are stored as: the library would convert them to floating point.
  const schema = metadata.schema.map(element =>
    element.converted_type === 'DECIMAL' ? { ...element, converted_type: undefined, logical_type: undefined } : element,
  )
  const stored = { ...metadata, schema }
  let rowStart = rowsIn(metadata.row_groups.slice(0, fromGroup))
  for (const group of metadata.row_groups.slice(fromGroup)) {
    const rowEnd = rowStart + Number(group.num_rows)
    const part = { file, metadata: stored, columns, rowStart, rowEnd, parsers }
    yield await new Promise((onComplete, reject) => void parquetRead({ ...part, onComplete }).catch(reject))
    rowStart = rowEnd
  }
}

export const rowsIn = (groups: readonly RowGroup[]): number =>
  groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0)

/** Where the bytes of a group end. */
export function endOfGroup({ columns }: RowGroup): number {
  const ends = columns.map(({ meta_data }) => {
    const { dictionary_page_offset, data_page_offset, total_compressed_size } = meta_data!
    return Number(dictionary_page_offset ?? data_page_offset) + Number(total_compressed_size)
  })
  return Math.max(...ends)
}
