// Files as applicants choose them, and forms that have them.

import type { Applicant, AppliedPage } from './applicant.ts'

/** Bytes that are detected as a PDF, of any length. */
export const aPdf = (length = 500, ...parts: string[]): Buffer =>
  Buffer.concat([Buffer.from(`%PDF-1.7\n${parts.join('\n')}\n`), Buffer.alloc(length, '% nothing\n')]).subarray(
    0,
    Math.max(length, 20),
  )

/** The smallest PNG: one transparent pixel. */
export const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

export interface ChosenFile {
  field: string
  name: string
  content: Uint8Array
}

/** Chooses files in the form of the open page and sends it. */
export async function sendFiles(
  applicant: Applicant,
  files: readonly ChosenFile[],
  more: Record<string, string | string[]> = { go: 'next' },
): Promise<AppliedPage> {
  const { action, fields } = applicant.fieldsOf()
  const form = new FormData()
  for (const [name, value] of fields) if (!(name in more)) form.append(name, value)
  for (const [name, value] of Object.entries(more)) for (const item of [value].flat()) form.append(name, item)
  for (const { field, name, content } of files) form.append(field, new Blob([new Uint8Array(content)]), name)
  applicant.page = await applicant.sendForm(action, form)
  return applicant.page
}

/** A field of a form with the boundary `x`, as sent. */
export const fieldPart = (name: string, value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`

/** The part before the content of a file in such a form. */
export const fileHead = (field: string, name: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\n\r\n`

/** Names of the files on the open page. */
export const fileNamesOn = ({ html }: AppliedPage): string[] =>
  [...html.matchAll(/<li><input type="hidden" name="[^"]*\/file_urls"[^>]*>\s*<span dir="auto">([^<]*)/g)].map(
    ([, name]) => name!,
  )
