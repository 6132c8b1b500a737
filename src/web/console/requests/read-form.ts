// Reads a form sent by a browser, within limits.

import { isUtf8 } from 'node:buffer'
import { invalidRequest, Problem } from '../../../base/problem.ts'
import { readFields } from '../../http/headers/sent-text.ts'
import { readBody } from '../../http/server/read-body.ts'

/** Maximum time for the whole form to arrive. */
const arrivalMs = 10_000

/** The bytes of files by the name of their field. */
export type SentFiles = Map<string, Uint8Array>

/**
 * The fields of `application/x-www-form-urlencoded`, or of `multipart/form-data`, which forms with files use. Throws Problem
 * `unsupported_media_type`, `too_large`, or `invalid_request` for a body that is incomplete, late, or contains something that is not text.
 * With `files`, chosen files are put there instead of their text, and may be anything.
 */
export async function readForm(request: Request, bytesMax: number, files?: SentFiles): Promise<URLSearchParams> {
  const sent = request.headers.get('content-type') ?? ''
  const type = sent.split(';')[0]!.trim().toLowerCase()
  const read =
    type === 'application/x-www-form-urlencoded' ? readFields : type === 'multipart/form-data' ? readParts : undefined
  if (read === undefined)
    throw new Problem('unsupported_media_type', {
      detail: 'Send the form as application/x-www-form-urlencoded or multipart/form-data.',
    })
  return withAllChosen(await read(await readBody(request, { bytesMax, arrivalMs }), sent, files))
}

/** Without `kept`, a chosen file replaces the text of the field with its name. */
async function readParts(body: Buffer, type: string, kept?: SentFiles): Promise<URLSearchParams> {
  const form = new Response(body, { headers: { 'Content-Type': type } }).formData()
  const parts = await form.then(
    read => [...read],
    cause => {
      throw new Problem('invalid_request', {
        detail: 'The form is incomplete or malformed.',
        internal: 'broken_form',
        cause,
      })
    },
  )
  const fields = new URLSearchParams()
  for (const [name, value] of parts) if (typeof value === 'string') fields.append(name, value)
  const files = parts.flatMap(([name, value]) => (typeof value !== 'string' && value.size > 0 ? [{ name, value }] : []))
  const isText = isUtf8(body) && !body.includes(0)
  if (!isText && (kept === undefined || /[\0\ufffd]/.test([...fields.values()].join()))) {
    const what = files.length === 0 ? 'The form' : `The file ${files.map(({ value }) => value.name).join(', ')}`
    throw new Problem('invalid_request', { detail: `${what} isn’t UTF-8 text, so nothing was changed.` })
  }
  for (const { name, value } of files)
    if (kept === undefined) fields.set(name, await value.text())
    else kept.set(name, await value.bytes())
  return fields
}

/** Throws an error unless the form contains the text that it asks for as confirmation. */
export function requireWritten({ form }: { form: URLSearchParams }, text: string, detail: string): void {
  if (form.get('confirmation')?.trim() !== text)
    throw invalidRequest(detail, [{ parameter: 'confirmation', code: 'differs', detail }])
}

/** If a list was chosen as a whole with one box (`all` of `Choices`), every value shown in it. */
function withAllChosen(form: URLSearchParams): URLSearchParams {
  for (const name of form.getAll('all')) {
    form.delete(name)
    for (const value of (form.get(`shown:${name}`) ?? '').split(' ')) form.append(name, value)
  }
  return form
}
