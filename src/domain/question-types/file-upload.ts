// FILE_UPLOAD: URLs of files, kept by applicants' pages or by another front end; `file_key` is the first of them (D17).

import { Type } from 'typebox'
import { listOf, orNull } from '../fields/field-schema.ts'
import { json, type QuestionType } from '../fields/question-type.ts'
import { countFits, countSettings } from '../fields/settings.ts'
import { type FileType, fileTypeNames } from '../files/file-types.ts'
import { fileNames } from '../random/sample-words.ts'
import { integerFrom, pick, type Rng } from '../random/seeded-random.ts'

interface FileUpload {
  type: 'FILE_UPLOAD'
  file_urls: readonly string[]
}

/** These limits apply to applicants' pages. Front ends that store files check the files themselves. */
const settings = {
  ...countSettings,
  file_types: Type.Array(Type.Enum<FileType[]>(fileTypeNames), {
    minItems: 1,
    uniqueItems: true,
    description: 'File types that applicants may upload. Default: all of these types.',
  }),
  max_megabytes: Type.Integer({
    minimum: 1,
    maximum: 50,
    description: 'Maximum size of each uploaded file, in megabytes. Default: 10.',
  }),
}

export const fileUpload = {
  kinds: ['FILE_UPLOAD'],
  settings,
  fields: {
    file_key: {
      form: 'text',
      schema: orNull('string', { deprecated: true, description: 'URL of the first file. Use file_urls instead.' }),
      value: ({ file_urls }) => file_urls[0] ?? null,
    },
    file_urls: {
      form: 'text_list',
      schema: listOf('URLs of the files, which require signing in as an administrator; empty if unanswered.', {
        type: 'string',
      }),
    },
  },
  text: a =>
    `{"question_type":"FILE_UPLOAD","file_key":${json(a.file_urls[0] ?? null)},"file_urls":${json(a.file_urls)}}`,
  lines: a => a.file_urls.map(text => ({ text, look: 'link' })),
  read: (fields, { settings }) => {
    const file_urls = fields.texts('file_urls')
    if (file_urls === undefined) return undefined
    // Accepted, but redundant.
    const key = fields.raw('file_key')
    let faulty = key !== null && key !== file_urls[0]
    if (faulty) fields.error('file_key', 'not_allowed', 'Must be the first of `file_urls`, or null.')
    for (let i = 0; i < file_urls.length && !fields.full; i++) {
      if (isFileUrl(file_urls[i]!)) continue
      faulty = true
      fields.error(
        'file_urls',
        'malformed',
        'Must be an absolute URL, https://… or http://…, with spaces written as %20.',
        i,
      )
    }
    const fits = file_urls.length > 0 && countFits(fields, 'file_urls', file_urls.length, 'files', settings)
    return fits && !faulty ? { type: 'FILE_UPLOAD', file_urls } : undefined
  },
  sample: ({ min_count = 0, max_count = 2 }, variant) => ({
    type: 'FILE_UPLOAD',
    file_urls: Array.from(
      { length: Math.min(Math.max(2, min_count), max_count) },
      (_, i) => `${filesRoot}/${1000 + variant * 10 + i}/${fileNames[i % fileNames.length]!}`,
    ),
  }),
  random: ({ min_count = 0, max_count = 3 }) => {
    const least = Math.max(1, min_count)
    const most = Math.max(least, Math.min(3, max_count))
    return next => ({
      type: 'FILE_UPLOAD',
      file_urls: Array.from({ length: integerFrom(next, least, most) }, () => randomFile(next)),
    })
  },
} as const satisfies QuestionType<FileUpload, typeof settings>

const filesRoot = 'https://apply.example.gov/files'

const randomFile = (next: Rng): string => `${filesRoot}/${integerFrom(next, 100_000, 999_999)}/${pick(next, fileNames)}`

/** Stored unchanged, so URLs that readers would have to repair are rejected: no spaces, no control characters. */
const isFileUrl = (text: string): boolean =>
  /^https?:\/\/[^\s\u0000-\u0020\u007f\\]+$/i.test(text) && URL.canParse(text)
