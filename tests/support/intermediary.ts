// A person of an organization who applies for its clients in a browser.

import { addIntermediary, addOrganization, inviteIntermediary } from '../../src/core/people/intermediaries.ts'
import { acceptInvitation } from '../../src/core/people/people.ts'
import type { Sql } from '../../src/db/client.ts'
import { readIntermediaries } from '../../src/db/people/intermediary-rows.ts'
import { Applicant, type AppliedPage } from './applicant.ts'
import { ConsoleVisitor, testPassword } from './console.ts'
import type { TestService } from './service.ts'

export interface OrganizationPerson {
  email: string
  person_id: number
  organizationId: number
  intermediaryId: number
}

const by = { actor: 'operator:test', now: Date.now() * 1000 }

export const anOrganization = (sql: Sql, name: string): Promise<number> => addOrganization(sql, name, by)

/** A person of an organization who can sign in with `testPassword`. */
export async function anIntermediary(sql: Sql, organizationId: number): Promise<OrganizationPerson> {
  const email = `helper.${crypto.randomUUID().slice(0, 8)}@example.org`
  await addIntermediary(sql, organizationId, email, by)
  const listed = await readIntermediaries(sql, organizationId, { after: '', rowsMax: 1000 })
  const intermediaryId = listed.find(row => row.email === email)!.intermediary_id
  const place = { organizationId, intermediaryId }
  const { personId, token } = await inviteIntermediary(sql, place, 'Hana Helper', by)
  await acceptInvitation(sql, token, testPassword, by)
  return { email, person_id: personId, ...place }
}

export class Intermediary extends Applicant {
  async signIn(service: TestService, { email }: OrganizationPerson): Promise<this> {
    const browser = await new ConsoleVisitor(service).signIn(email)
    for (const [name, value] of browser.cookies) this.cookies.set(name, value)
    return this
  }

  /** Registers a client, whose page is then open, and returns their code. */
  async register(name: string): Promise<string> {
    await this.open('/apply/-/clients/new')
    await this.fill({ name }, {}, 'name="key"')
    return this.code
  }

  /** The names of the clients in the list. */
  async clients(): Promise<Map<string, number>> {
    const { html } = await this.open('/apply/-/clients')
    const found = html.matchAll(/data-client="(\d+)"><h2 dir="auto">([^<]*)/g)
    return new Map([...found].map(([, id, name]) => [name!, Number(id)]))
  }

  async openClient(id: number): Promise<AppliedPage> {
    await this.open('/apply/-/clients')
    return this.fill({ client: String(id) }, {}, '/clients/open')
  }
}
