// Identifies a file that someone wants to import: one of the three formats of a program, or what it appears to be instead.

import { member } from '../definitions/definition-form.ts'
import { bundleFormat } from '../definitions/program-bundle.ts'
import { isObject } from '../definitions/stepwise-check.ts'
import { parseJson, placedDetail } from '../values/json-text.ts'

/** Maximum length of a file. */
export const importBytesMax = 2 * 1024 * 1024

export const fileTooLarge = 'The file is larger than 2 MB, the limit for imports.'

export type ProgramFile =
  | { form: 'definition' | 'bundle' | 'civiform'; document: unknown }
  | { form: 'other'; appears: string }

const signatures: readonly (readonly [start: string, what: string])[] = [
  ['PK\u0003\u0004', 'a ZIP archive, or an office document such as a spreadsheet'],
  ['%PDF-', 'a PDF document'],
  ['\u00d0\u00cf\u0011\u00e0', 'an office document in an older format'],
  ['\u001f\u008b', 'a gzip archive'],
  ['\u0089PNG', 'a picture'],
  ['\u00ff\u00d8\u00ff', 'a picture'],
  ['GIF8', 'a picture'],
  ['RIFF', 'a picture or a recording'],
]

/** Deeper than any program. The allowed depth is checked later with the rest. */
const depthMax = 1000

/** A byte order mark is skipped. */
export function identifyFile(bytes: Uint8Array): ProgramFile {
  const other = (appears: string): ProgramFile => ({ form: 'other', appears })
  if (bytes.length > importBytesMax) return other(fileTooLarge)
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  const signature = signatures.find(([signs]) => start.startsWith(signs))
  if (signature !== undefined) return other(`This appears to be ${signature[1]}, not a program.`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return other('This is not UTF-8 text. A program is a JSON file in UTF-8.')
  }
  if (text.trim() === '') return other('The file is empty.')
  if (/^\s*<(?:!doctype html|html)/i.test(text)) return other('This appears to be a web page, not a program.')
  if (/^\s*</.test(text)) return other('This appears to be an XML document, not a program.')
  const parsed = parseJson(text, { depthMax })
  if (!('json' in parsed))
    return other(
      /^\s*[[{]/.test(text)
        ? `This JSON file can't be read: ${placedDetail(parsed.error)}`
        : 'This appears to be plain text or a table, not a program in JSON.',
    )
  return identifyDocument(JSON.parse(text))
}

export function identifyDocument(document: unknown): ProgramFile {
  if (member(document, 'format') === bundleFormat) return { form: 'bundle', document }
  if (isObject(member(document, 'program')) && Array.isArray(member(document, 'questions')))
    return { form: 'civiform', document }
  const has = (name: string): boolean => member(document, name) !== undefined
  if (has('screens') || (has('slug') && has('questions'))) return { form: 'definition', document }
  return { form: 'other', appears: appearance(document, has) }
}

function appearance(document: unknown, has: (name: string) => boolean): string {
  if (Array.isArray(document)) return 'This appears to be a list of records, not a program.'
  if (!isObject(document)) return 'This JSON value is not a program.'
  if (has('format'))
    return `This appears to be a bundle in the format ${String(document.format)}, which this release can't read.`
  if (has('openapi') || has('swagger')) return 'This appears to be an OpenAPI document, not a program.'
  if (has('payload')) return 'This appears to be an export of applications, not a program.'
  if (has('components')) return 'This appears to be a form.io form, which can’t be imported.'
  if (has('$schema') || has('properties')) return 'This appears to be a JSON Schema, not a program.'
  return 'This JSON file is neither a program definition, a bundle, nor a CiviForm program.'
}
