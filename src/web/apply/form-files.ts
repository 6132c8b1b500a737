// Stores the files in a screen's form as they arrive, and replaces them with their URLs in the form. Also ensures that a form contains only
// the applicant's own files.

import { receiveFile } from '../../core/files/receive-file.ts'
import { type AskedQuestion, questionnaireOf } from '../../core/intake/checking/asked-questions.ts'
import { holdUploadedFiles, readUploadedFiles } from '../../db/apply/uploaded-files.ts'
import { fileRulesOf } from '../../domain/files/file-types.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import type { VersionQuestion } from '../../domain/questions/question.ts'
import { pointerTokens } from '../../domain/values/json-text.ts'
import { readMultipart, type SentFile } from '../http/forms/read-multipart.ts'
import { recordOf } from '../http/server/request-record.ts'
import type { FilesInForm } from '../questions/field-view.ts'
import type { FormPlace } from '../questions/filled-form.ts'
import { dropButton, FormValues } from '../questions/form-values.ts'
import { type ApplyRequest, acceptForm, fieldsMax, requireSession } from './apply-request.ts'
import { type ProgramInForm, programOf } from './program-in-form.ts'

const formFilesMax = 20

/**
 * Reads the form of a POST request with files. No file is stored before the form has shown that it comes from a page of this session. Throws like
 * reading a form without files.
 */
export async function readUpload(pageRequest: ApplyRequest): Promise<void> {
  const { deps, request } = pageRequest
  const form = new FormValues()
  pageRequest.form = form
  const { config } = deps
  const bounds = {
    bytesMax: config.uploadBytesMax,
    fieldBytesMax: config.intakeBodyBytesMax,
    fieldsMax,
    filesMax: formFilesMax,
    arrivalMs: config.uploadMsMax,
    storageGraceMs: config.storageSilenceMs,
  }
  const files = new FormFiles(pageRequest)
  try {
    await readMultipart(request, bounds, {
      field: (name, value) => form.add(name, value),
      file: part => files.take(part),
    })
  } finally {
    files.end()
  }
  files.accept()
}

class FormFiles {
  #program: ProgramInForm | undefined
  #isAccepted = false
  #end: (() => void) | undefined

  constructor(private readonly request: ApplyRequest) {}

  async take({ field, name, chunks }: SentFile): Promise<void> {
    const { request: pageRequest } = this
    const { deps, form, limits, request } = pageRequest
    const { fileStore, fileSpace: space } = deps
    // A field in which no file was chosen.
    if (name === '') return
    this.accept()
    // The session has ended: the page asks for the code, and then for the file again.
    if (pageRequest.session === undefined && form.get('csrf')) return
    this.#program ??= await programOf(pageRequest)
    const program = this.#program
    const question = questionAt(program.known.version, field, form.get('shown') ?? '')
    if (question === undefined || fileStore === undefined || program.intake_state !== 'OPEN') return
    const { address } = recordOf(request).origin
    // Only when a file arrives, so that a form without files doesn't take a place.
    this.#end ??= limits.beginUpload(address)
    await limits.count('uploads', address)
    const rules = fileRulesOf(question.settings)
    const received = await receiveFile(
      deps.intakeDb,
      fileStore,
      {
        rules,
        space,
        name,
        place: async () => {
          const { applicant_id } = await requireSession(pageRequest)
          return { program_id: program.program_id, applicant_id }
        },
        onFailure: err => deps.log.error({ err }, 'an uploaded file could not be stored'),
      },
      chunks,
    )
    if ('refused' in received) pageRequest.fileErrors.push({ path: field, code: received.refused, detail: '' })
    else form.add(field, urlOfFile(pageRequest, program.slug, received.fileId))
  }

  end(): void {
    this.#end?.()
  }

  /** Only once: a session that starts with a file gives the next page another token. */
  accept(): void {
    if (!this.#isAccepted) acceptForm(this.request)
    this.#isAccepted = true
  }
}

/** The question of a file field that the screen showed; undefined for any other field. */
function questionAt(version: ProgramVersion, field: string, shown: string): VersionQuestion | undefined {
  const path = pathOfFileField(field)
  if (path === undefined || !shown.split(' ').includes(path)) return undefined
  let asked: AskedQuestion | undefined
  let scope = questionnaireOf(version).top
  for (const key of pointerTokens(path.replace(/\/entities\/\d+\//g, '/'))) {
    asked = scope.get(key)
    scope = asked?.children ?? new Map()
  }
  return asked?.type === 'FILE_UPLOAD' ? asked.question : undefined
}

/** A file's URL in the application: a link for console users who may read the program's applications. */
const urlOfFile = ({ place }: ApplyRequest, slug: string, fileId: string): string =>
  `${place.baseUrl}/admin/programs/${slug}/files/${fileId}`

const fileIdIn = (url: string): string | undefined => /\/admin\/programs\/[^/]+\/files\/([0-9a-f]{40})$/.exec(url)?.[1]

/** `/children/entities/0/photo` for its file field; undefined for any other field. */
const pathOfFileField = (name: string): string | undefined => /^(\/.*)\/file_urls$/.exec(name)?.[1]

/**
 * The form as it was sent, with only files that the applicant has uploaded in this program or that are already saved. Other files, such as guessed or
 * erased ones, are dropped, and their field gets an error.
 */
export async function withOwnFiles(
  request: ApplyRequest,
  { program_id, slug }: ProgramInForm,
  saved: FormValues,
): Promise<FormValues> {
  const { form, fileErrors, session, deps } = request
  const sent = [...form]
  const urls = sent.filter(([name]) => pathOfFileField(name) !== undefined).map(([, url]) => url)
  if (urls.length === 0) return form
  const ids = urls.map(fileIdIn).filter(id => id !== undefined)
  const isAsked = session !== undefined && ids.length > 0
  const held = isAsked ? await holdUploadedFiles(deps.intakeDb, { program_id, ...session }, ids) : []
  const own = new Set(held)
  const kept = new Set([...saved].filter(([name]) => pathOfFileField(name) !== undefined).map(([, url]) => url))
  const dropped = form.get(dropButton)
  const values = sent.flatMap(([name, url]): [string, string][] => {
    if (pathOfFileField(name) === undefined) return [[name, url]]
    if (url === '' || `${name} ${url}` === dropped) return []
    const id = fileIdIn(url)
    // Whatever host the request had, the URL is ours.
    if (id !== undefined && own.has(id)) return [[name, kept.has(url) ? url : urlOfFile(request, slug, id)]]
    if (id === undefined && kept.has(url)) return [[name, url]]
    fileErrors.push({ path: name, code: 'file_gone', detail: '' })
    return []
  })
  return new FormValues(values)
}

/** The data that file fields need; undefined if none of these places has a file field. */
export async function filesInForm(
  { deps, session }: ApplyRequest,
  { program_id }: ProgramInForm,
  places: readonly FormPlace[],
): Promise<FilesInForm | undefined> {
  if (!places.some(({ asked }) => asked.type === 'FILE_UPLOAD')) return undefined
  const files = session === undefined ? [] : await readUploadedFiles(deps.intakeDb, { program_id, ...session })
  const names = new Map(files.map(({ file_id, name }) => [file_id, name]))
  return { isOn: deps.fileStore !== undefined, nameOf: url => names.get(fileIdIn(url) ?? '') ?? url }
}
