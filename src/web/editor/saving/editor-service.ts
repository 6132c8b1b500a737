// The requests that the editor sends to the service's API, in the session of the person who is signed in.

import type { VersionChange } from '../../../domain/comparison/version-diff.ts'
import type { DefinitionError } from '../../../domain/definitions/definition-form.ts'
import type { ProgramDefinition } from '../../../domain/definitions/program-definition.ts'
import type { ProgramForEditing, SimilarQuestions } from './program-for-editing.ts'

/** How a request without a result ended. */
export type Failure =
  | { failed: 'unreachable' }
  | { failed: 'signed_out' }
  /** Another person is now signed in here. */
  | { failed: 'other_person' }
  | { failed: 'conflict' }
  | { failed: 'refused'; detail: string; errors: readonly DefinitionError[] }

interface SavedDraft {
  program_version_id: number
  changes: VersionChange[]
}

export class Service {
  readonly #api: string
  #csrf: string

  constructor(
    readonly root: string,
    readonly slug: string,
    csrf: string,
    readonly personId: number,
  ) {
    this.#api = `${root}/admin/api/v1`
    this.#csrf = csrf
  }

  open(): Promise<ProgramForEditing | Failure> {
    return this.#request('GET', `/programs/${this.slug}/editing`)
  }

  save(document: ProgramDefinition): Promise<SavedDraft | Failure> {
    return this.#request('PUT', `/programs/${this.slug}/draft`, document)
  }

  /** The stored draft's changes, with the earlier meaning of reused option IDs. */
  async changes(): Promise<VersionChange[] | Failure> {
    const found = await this.#request<{ changes: VersionChange[] }>('GET', `/programs/${this.slug}/difference`)
    return 'failed' in found ? found : found.changes
  }

  similar(text: string): Promise<SimilarQuestions | Failure> {
    return this.#request(
      'GET',
      `/programs/${this.slug}/similar-questions?text=${encodeURIComponent(text.slice(0, 200))}`,
    )
  }

  /** One question of the bank with all its settings. */
  async banked(search: string): Promise<FoundQuestion[] | Failure> {
    const found = await this.#request<{ items: FoundQuestion[] }>(
      'GET',
      `/questions?q=${encodeURIComponent(search.slice(0, 200))}`,
    )
    return 'failed' in found ? found : found.items
  }

  async #request<Answer extends object>(
    method: string,
    path: string,
    body?: unknown,
    isAgain = false,
  ): Promise<Answer | Failure> {
    let response: Response
    try {
      response = await fetch(this.#api + path, {
        method,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json', 'X-CSRF-Token': this.#csrf },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      })
      const answer = (await response.json()) as Answer & { detail?: string; errors?: DefinitionError[] }
      if (response.ok) return answer
      if (response.status === 401) return { failed: 'signed_out' }
      if (response.status === 409) return { failed: 'conflict' }
      if (response.status >= 500 || response.status === 429) return { failed: 'unreachable' }
      // A new session has its own token.
      if (response.status === 403 && !isAgain) {
        const known = await this.#renew()
        return known === true ? this.#request(method, path, body, true) : known
      }
      return { failed: 'refused', detail: answer.detail ?? '', errors: answer.errors ?? [] }
    } catch {
      return { failed: 'unreachable' }
    }
  }

  async #renew(): Promise<true | Failure> {
    const session = await this.#request<{ person_id: number; csrf: string }>('GET', '/session', undefined, true)
    if ('failed' in session) return session
    if (session.person_id !== this.personId) return { failed: 'other_person' }
    this.#csrf = session.csrf
    return true
  }
}

export interface FoundQuestion extends Pick<ProgramDefinition['questions'][number], 'admin_name' | 'kind'> {
  enumerator: string | null
  settings: Omit<ProgramDefinition['questions'][number], 'admin_name' | 'kind' | 'enumerator'>
  uses: { slug: string; display_name: string }[]
}
