// Saves the document to the draft whenever typing pauses, and retries until it succeeds. One request at a time.

import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import { findErrors, finishedPart, isSame, withoutUndefined } from '../model/checking.ts'
import type { Failure, Service } from './editor-service.ts'
import type { keptCopy } from './kept-copy.ts'
import type { ProgramForEditing } from './program-for-editing.ts'

/** The state of saving. */
export type SaveState =
  | { is: 'unchanged' }
  | { is: 'unsaved' }
  | { is: 'saving' }
  | { is: 'saved'; at: number }
  /** It has errors and can't be saved. */
  | { is: 'unfinished' }
  | { is: 'unreachable' }
  | { is: 'signed_out' }
  | { is: 'other_person' }
  | { is: 'conflict'; base: ProgramDefinition; theirs: ProgramForEditing }

export interface Saved {
  state: SaveState
  errors: readonly DefinitionError[]
  changes: readonly VersionChange[]
  isDraft: boolean
}

/** `changed`: another document follows. */
export type PreparedDocument = Failure | { is: 'changed' } | { is: 'ready'; errors: readonly DefinitionError[] }

const pauseMs = 700
const retryMs = [1000, 2000, 5000, 10_000, 20_000]

export class DraftSaver {
  #base: ProgramDefinition
  #document: ProgramDefinition
  #timer = 0
  #failures = 0
  #isBusy = false
  #checking = new AbortController()
  #shown: Saved

  constructor(
    private readonly service: Service,
    private readonly copy: ReturnType<typeof keptCopy>,
    private readonly opened: ProgramForEditing,
    private readonly show: (saved: Saved) => void,
    /** Checks what only the service knows before a document is saved; returns errors, or that the document was changed because of it. */
    private readonly prepare: (document: ProgramDefinition, base: ProgramDefinition) => Promise<PreparedDocument>,
    /** The stored document at the start of the edits that an earlier page kept. */
    base = opened.document,
  ) {
    this.#base = base
    this.#document = opened.document
    this.#shown = { state: { is: 'unchanged' }, errors: [], changes: opened.changes, isDraft: opened.is_draft }
  }

  /** The stored document, as far as known. */
  get base(): ProgramDefinition {
    return this.#base
  }

  /** Another document, to be checked now and saved once typing pauses. */
  change(document: ProgramDefinition): void {
    if (document === this.#document) return
    this.#document = document
    this.copy.write({ base: this.#base, document })
    if (!['conflict', 'signed_out', 'other_person', 'unreachable'].includes(this.#shown.state.is))
      this.#say({ state: { is: 'unsaved' } })
    void this.#check()
    this.#later(pauseMs)
  }

  /** Retries immediately: the connection may be back, or somebody signed in. */
  retry = (): void => {
    if (this.isUnsaved && this.#shown.state.is !== 'conflict') this.#later(0)
  }

  /** Continues from what another person stored, with this document replacing it. */
  resolve(theirs: ProgramForEditing, document: ProgramDefinition): void {
    this.#base = theirs.document
    this.#document = document
    this.#say({ state: { is: 'unsaved' }, changes: theirs.changes, isDraft: theirs.is_draft })
    if (isSame(document, theirs.document)) this.#settle()
    else this.copy.write({ base: this.#base, document })
    void this.#check()
    this.#later(0)
  }

  get isUnsaved(): boolean {
    return !['unchanged', 'saved'].includes(this.#shown.state.is)
  }

  #say(change: Partial<Saved>): void {
    const { state, errors } = this.#shown
    const next = { ...this.#shown, ...change }
    if (next.errors.length === 0 && errors.length === 0) next.errors = errors
    if (next.state.is === state.is && state.is === 'unsaved') next.state = state
    const isSame = (Object.keys(next) as (keyof Saved)[]).every(name => next[name] === this.#shown[name])
    this.#shown = next
    if (!isSame) this.show(next)
  }

  #settle(): void {
    this.copy.remove()
    this.#say({ state: { is: 'saved', at: Date.now() } })
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#save(), ms)
  }

  async #check(more: readonly DefinitionError[] = []): Promise<readonly DefinitionError[] | undefined> {
    this.#checking.abort()
    this.#checking = new AbortController()
    const { signal } = this.#checking
    const found = await findErrors(this.#document, this.opened.enumerator_depth_max, signal)
    if (found === undefined || signal.aborted) return undefined
    const errors = [...more, ...found]
    this.#say({ errors })
    return errors
  }

  async #save(): Promise<void> {
    if (this.#isBusy || this.#shown.state.is === 'conflict') return
    this.#isBusy = true
    const document = this.#document
    const prepared = await this.prepare(document, this.#base)
    if ('failed' in prepared) await this.#failed(prepared, document)
    else if (prepared.is === 'ready') {
      const errors = await this.#check(prepared.errors)
      if (errors !== undefined) await this.#send(document, errors)
    }
    this.#isBusy = false
    if (this.#document !== document) this.#later(pauseMs)
  }

  async #send(document: ProgramDefinition, errors: readonly DefinitionError[]): Promise<void> {
    const finished = errors.length === 0 ? document : finishedPart(document, errors, this.#base)
    const rest =
      finished === document || finished === undefined
        ? []
        : await findErrors(finished, this.opened.enumerator_depth_max, new AbortController().signal)
    if (finished === undefined || rest === undefined || rest.length > 0)
      return this.#say({ state: { is: 'unfinished' } })
    const sent = withoutUndefined({ ...finished, based_on: this.#base.based_on ?? null })
    if (isSame(sent, this.#base)) return this.#kept(document, finished)
    this.#say({ state: { is: 'saving' } })
    const saved = await this.service.save(sent)
    if ('failed' in saved) return this.#failed(saved, document)
    this.#failures = 0
    this.#base = { ...sent, based_on: saved.program_version_id }
    this.#say({
      changes: saved.changes,
      isDraft: saved.changes.length > 0 || this.opened.active_version_number === null,
    })
    this.#kept(document, finished)
  }

  /** All of `document` is stored, or its `finished` part. */
  #kept(document: ProgramDefinition, finished: ProgramDefinition): void {
    if (this.#document === document && finished === document) this.#settle()
    else {
      this.copy.write({ base: this.#base, document: this.#document })
      this.#say({ state: { is: this.#document === document ? 'unfinished' : 'unsaved' } })
    }
  }

  async #failed(failure: Failure, document: ProgramDefinition): Promise<void> {
    if (failure.failed === 'refused') {
      const errors =
        failure.errors.length > 0 ? failure.errors : [{ path: '', code: 'refused', detail: failure.detail }]
      return this.#say({ state: { is: 'unfinished' }, ...(this.#document === document && { errors }) })
    }
    if (failure.failed === 'conflict') {
      const theirs = await this.service.open()
      if (!('failed' in theirs)) return this.#say({ state: { is: 'conflict', base: this.#base, theirs } })
    }
    const is = failure.failed === 'conflict' ? 'unreachable' : failure.failed
    this.#say({ state: { is } })
    if (is === 'unreachable') this.#later(retryMs[Math.min(this.#failures++, retryMs.length - 1)]!)
  }
}
