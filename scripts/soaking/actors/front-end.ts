// Front ends: they register applicants, save answers and submit until they are stopped, and keep what was acknowledged.

import { slug } from '../installation/installation.ts'
import type { Members, SentApplication } from '../seen/contents.ts'
import type { Ledger } from '../seen/ledger.ts'
import type { Client } from './patient-client.ts'

const intakePath = `/intake/v1/programs/${slug}/applicants`

/** All answers differ, so that none can be mistaken for another. */
function answersFor(n: number): Members {
  const own = crypto.randomUUID()
  const job = { entity_name: `j ${n}`, soaked_employer: { text: `Mill ${own}` } }
  const member = {
    entity_name: `m ${n}`,
    soaked_name: { text: `Ada ${own}` },
    soaked_jobs: { entities: [job].slice(n % 2) },
  }
  return {
    soaked_words: { text: `${own} ${'x'.repeat(n % 700)}` },
    soaked_town: { text: `Town ${own}` },
    soaked_members: { entities: [member] },
  }
}

/** Acts as a front end until stopped; every third time for an applicant that has submitted before. */
export async function write(client: Client, ledger: Ledger, stopped: AbortSignal): Promise<void> {
  let applicant: number | undefined
  for (let n = 0; !stopped.aborted; n++) {
    if (applicant === undefined || n % 3 !== 2) {
      const registered = await client.ask('/intake/v1/applicants', {
        method: 'POST',
        body: { language: 'en-US' },
        key: crypto.randomUUID(),
      })
      applicant = (registered?.body as { applicant_id?: number } | undefined)?.applicant_id
      if (applicant === undefined) continue
    }
    const answers = answersFor(n)
    const saved = await client.ask(`${intakePath}/${applicant}/answers`, { method: 'PUT', body: { answers } })
    if (saved === undefined || saved.status >= 300) {
      if (saved !== undefined) ledger.note(`saving answers returned ${saved.status}: ${JSON.stringify(saved.body)}`)
      applicant = undefined
      continue
    }
    const submitted = await client.ask(`${intakePath}/${applicant}/submissions`, {
      method: 'POST',
      body: { submitter: { type: 'APPLICANT' } },
      key: crypto.randomUUID(),
    })
    const receipt = submitted?.body as Omit<SentApplication, 'applicant_id' | 'answers'> | undefined
    if (receipt?.application_id !== undefined)
      ledger.submissions.set(receipt.application_id, { ...receipt, applicant_id: applicant, answers })
    else if (submitted !== undefined)
      ledger.note(`submitting returned ${submitted.status}: ${JSON.stringify(submitted.body)}`)
  }
}
