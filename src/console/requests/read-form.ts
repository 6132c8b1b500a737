// Reads a form that a browser sent, within bounds.

import { readFields } from '../../http/headers/sent-text.ts'
import { readBody } from '../../http/server/read-body.ts'
import { Problem } from '../../problem.ts'

/** How long the whole form may take to arrive. */
const arrivalMs = 10_000

/**
 * The fields of `application/x-www-form-urlencoded`. Throws Problem `unsupported_media_type`, `too_large`, or `invalid_request` for a body
 * that does not arrive whole and in time, or has fields that are not text.
 */
export async function readForm(request: Request, bytesMax: number): Promise<URLSearchParams> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new Problem('unsupported_media_type', { detail: 'A form is sent as application/x-www-form-urlencoded.' })
  return withAllChosen(readFields(await readBody(request, { bytesMax, arrivalMs })))
}

/** Where a list was chosen as a whole, by one box (`all` of `Choices`), every value that it was shown with. */
function withAllChosen(form: URLSearchParams): URLSearchParams {
  for (const name of form.getAll('all')) {
    form.delete(name)
    for (const value of (form.get(`shown:${name}`) ?? '').split(' ')) form.append(name, value)
  }
  return form
}
