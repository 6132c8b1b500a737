// A form front end in miniature: registers applicants, saves answers and submits, through the intake route of a service.

import type { TestKey } from './keys.ts'
import type { TestService } from './service.ts'

export interface Submitted {
  application_id: number
  program_version_id: number
  create_time: string
  submit_time: string
}

export class FrontEnd {
  constructor(
    private readonly service: Pick<TestService, 'get'>,
    private readonly key: TestKey,
    private readonly slug: string,
  ) {}

  async register(language = 'en-US'): Promise<number> {
    const { applicant_id } = await this.#call<{ applicant_id: number }>('POST', '/intake/v1/applicants', { language })
    return applicant_id
  }

  async save(applicantId: number, answers: Record<string, unknown>): Promise<void> {
    await this.#call('PUT', `/intake/v1/programs/${this.slug}/applicants/${applicantId}/answers`, { answers })
  }

  async submit(applicantId: number, submitter: Record<string, unknown> = { type: 'APPLICANT' }): Promise<Submitted> {
    return this.#call('POST', `/intake/v1/programs/${this.slug}/applicants/${applicantId}/submissions`, { submitter })
  }

  /**
   * Saves and submits in one step. Repeated if somebody has erased the applicant's last application in between: the saved answers start from that,
   * and are erased with it (D43).
   */
  async apply(
    applicantId: number,
    answers: Record<string, unknown>,
    submitter?: Record<string, unknown>,
  ): Promise<Submitted> {
    for (let tries = 1; ; tries++) {
      await this.save(applicantId, answers)
      try {
        return await this.submit(applicantId, submitter)
      } catch (error) {
        if (tries === 5 || !/nothing_saved|been erased/.test(String(error))) throw error
      }
    }
  }

  async #call<T>(method: string, path: string, body: unknown): Promise<T> {
    const response = await this.service.get(path, {
      method,
      headers: {
        Authorization: this.key.authorization,
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    return JSON.parse(text) as T
  }
}
