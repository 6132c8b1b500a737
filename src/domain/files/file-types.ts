// The types of file that applicants may upload: documents and pictures, which run no code when they are opened.

interface FileTypeFacts {
  /** Its common name. */
  label: string
  /** Media types detected for its content. */
  media: readonly string[]
  /** File name extensions. The first is added to a name that has none of them. */
  extensions: readonly [string, ...string[]]
}

export const fileTypes = {
  pdf: { label: 'PDF', media: ['application/pdf'], extensions: ['pdf'] },
  jpeg: { label: 'JPEG', media: ['image/jpeg'], extensions: ['jpg', 'jpeg'] },
  png: { label: 'PNG', media: ['image/png'], extensions: ['png'] },
  heic: { label: 'HEIC', media: ['image/heic', 'image/heif'], extensions: ['heic', 'heif'] },
  webp: { label: 'WebP', media: ['image/webp'], extensions: ['webp'] },
  tiff: { label: 'TIFF', media: ['image/tiff'], extensions: ['tif', 'tiff'] },
} as const satisfies Readonly<Record<string, FileTypeFacts>>

export type FileType = keyof typeof fileTypes

export const fileTypeNames = Object.keys(fileTypes) as FileType[]

/** The file type for a media type; undefined if it may not be uploaded. */
export const typeOfMedia = (media: string): FileType | undefined =>
  fileTypeNames.find(type => (fileTypes[type].media as readonly string[]).includes(media))

const megabyte = 1_000_000

/** The file types that a question accepts. */
export interface FileRules {
  types: readonly FileType[]
  bytesMax: number
  megabytesMax: number
}

/** Size limit for questions without one. */
const usualMegabytes = 10

export function fileRulesOf(settings: {
  file_types?: readonly FileType[] | undefined
  max_megabytes?: number | undefined
}): FileRules {
  const { file_types = fileTypeNames, max_megabytes = usualMegabytes } = settings
  return { types: file_types, megabytesMax: max_megabytes, bytesMax: max_megabytes * megabyte }
}

/** `PDF, JPEG, PNG`. */
export const fileTypeLabels = (types: readonly FileType[]): string =>
  types.map(type => fileTypes[type].label).join(', ')
