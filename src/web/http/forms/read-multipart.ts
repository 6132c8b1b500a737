// Reads a form with files (RFC 7578) as it arrives. No file is held in memory: the caller reads each file as a stream, and the connection waits for it.

import { Busboy, type BusboyConfig, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../../../base/problem.ts'
import { settledWithin } from '../../../base/settled-within.ts'
import { isText } from '../headers/sent-text.ts'
import { whileArriving } from '../server/in-time.ts'

export interface FormBounds {
  /** Maximum size of the form with its files. */
  bytesMax: number
  /** Maximum size of its fields. */
  fieldBytesMax: number
  fieldsMax: number
  filesMax: number
  /** Maximum time for the form to arrive. It arrives no faster than its files are stored. */
  arrivalMs: number
  /** How much longer storing the files may take once the form has arrived or failed. */
  storageGraceMs: number
}

export interface SentFile {
  field: string
  /** As sent: any text. */
  name: string
  chunks: AsyncIterable<Uint8Array>
}

export interface FormTaker {
  field: (name: string, value: string) => void
  /** Called for one file after another, after all fields that precede it. Content it doesn't read is discarded. */
  file: (part: SentFile) => Promise<void>
}

const forms = /^multipart\/form-data\b/i

export const isMultipart = ({ headers }: Request): boolean => forms.test(headers.get('content-type') ?? '')

/** Throws what `taker` throws, and Problem `invalid_request` or `too_large` for a form that is incomplete, late or beyond a bound. */
export const readMultipart = (request: Request, bounds: FormBounds, taker: FormTaker): Promise<void> =>
  whileArriving(request, async () => {
    if (Number(request.headers.get('content-length') ?? 0) > bounds.bytesMax) throw tooLarge(bounds)
    await new FormReader(request, bounds, taker).read()
  })

const tooLarge = ({ bytesMax }: FormBounds): Problem =>
  new Problem('too_large', { detail: `A form with files can have at most ${bytesMax} bytes.` })

class FormReader {
  readonly #parser: BusboyInstance
  /** Settles when the whole form was parsed, or the rest isn't needed. */
  readonly #ended = Promise.withResolvers<void>()
  /** Settles when all files so far are taken, one at a time. */
  #taken: Promise<void> = Promise.resolve()
  #open: BusboyFileStream | undefined
  #failure: { error: unknown } | undefined
  #fieldBytes = 0

  constructor(
    private readonly request: Request,
    private readonly bounds: FormBounds,
    private readonly taker: FormTaker,
  ) {
    const { fieldsMax, filesMax, fieldBytesMax } = bounds
    const limits = {
      fields: fieldsMax,
      files: filesMax,
      fieldSize: fieldBytesMax,
      fieldNameSize: 2000,
      headerPairs: 20,
    }
    this.#parser = openParser(request.headers.get('content-type') ?? '', limits)
    this.#parser.on('finish', () => this.#ended.resolve())
    this.#parser.on('error', error => this.#fail(malformed(error)))
    this.#parser.on('field', (name, value, isNameCut, isCut) => this.#field(name, value, isNameCut || isCut))
    this.#parser.on('file', (field, stream, name = '') => this.#file(field, stream, name))
    const beyond = (what: string, max: number) => () =>
      this.#fail(new Problem('too_large', { detail: `A form can have at most ${max} ${what}.` }))
    this.#parser.on('fieldsLimit', beyond('fields', fieldsMax))
    this.#parser.on('filesLimit', beyond('files', filesMax))
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#open?.destroy(error instanceof Error ? error : undefined)
    this.#ended.resolve()
  }

  #field(name: string, value: string, isCut: boolean): void {
    this.#fieldBytes += name.length + value.length
    if (isCut || this.#fieldBytes > this.bounds.fieldBytesMax) this.#fail(tooLarge(this.bounds))
    else if (isText(name) && isText(value)) this.taker.field(name, value)
    else this.#fail(malformed())
  }

  #file(field: string, stream: BusboyFileStream, name: string): void {
    this.#open = stream
    // Without a listener, an error of an unread stream would be uncaught.
    stream.on('error', () => {})
    const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]()
    // It must not be ended early, which would end the stream and with it the parser.
    const readable = { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }
    this.#taken = this.#taken.then(async () => {
      try {
        if (this.#failure === undefined) await this.taker.file({ field, name, chunks: readable })
        while (!(await chunks.next()).done);
      } catch (error) {
        this.#fail(error)
      }
    })
  }

  async read(): Promise<void> {
    const reader = this.request.body?.getReader()
    if (reader === undefined) throw malformed()
    const { bounds } = this
    const cancel = (): Promise<void> => reader.cancel().catch(() => {})
    const timer = setTimeout(() => {
      const detail = `The form took longer than ${bounds.arrivalMs} ms to arrive.`
      this.#fail(new Problem('invalid_request', { detail, internal: 'upload_too_slow' }))
      void cancel()
    }, bounds.arrivalMs)
    try {
      let bytes = 0
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        bytes += chunk.value.length
        if (bytes > bounds.bytesMax) this.#fail(tooLarge(bounds))
        if (this.#failure !== undefined) break
        if (!this.#parser.write(chunk.value)) await this.#drained()
      }
    } catch (error) {
      this.#fail(malformed(error))
    } finally {
      clearTimeout(timer)
    }
    if (this.#failure === undefined) this.#parser.end()
    else await cancel()
    // A storage that never responds must not block the form.
    const stored = Promise.all([this.#failure === undefined && this.#ended.promise, this.#taken])
    if (!(await settledWithin(bounds.storageGraceMs, stored)))
      this.#fail(
        new Problem('unavailable', {
          detail: 'The file could not be stored. Try again later.',
          internal: 'file_storage_silent',
        }),
      )
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Resolves when the parser accepts more, or the rest isn't needed. */
  async #drained(): Promise<void> {
    const drained = new Promise<void>(resolve => this.#parser.once('drain', () => resolve()))
    await Promise.race([drained, this.#ended.promise])
  }
}

function openParser(type: string, limits: BusboyConfig['limits']): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, preservePath: true, limits })
  } catch (error) {
    throw malformed(error)
  }
}

/** Also thrown for a lost connection, where nobody receives it. */
const malformed = (cause?: unknown): Problem =>
  new Problem('invalid_request', { detail: 'The form is incomplete or malformed.', cause })
