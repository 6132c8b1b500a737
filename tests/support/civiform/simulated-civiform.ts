// A CiviForm that behaves as the real one does towards its database: programs and questions in versions that are published together,
// drafts with early ids, submissions that take their time inside a transaction, merges, statuses, data jobs, deletions.

import type { Sql, Transaction } from '../../../src/db/client.ts'
import type { CiviFormDatabase } from './civiform-database.ts'

export interface SimulatedQuestion {
  name: string
  type: string
  /** Admin names by ID. */
  options?: readonly (readonly [number, string])[]
  /** IDs of options that applicants no longer see. */
  withdrawn?: readonly number[]
  tags?: readonly string[]
  /** The rest of its block, such as its visibility; refers to earlier questions by their row IDs. */
  block?: (idOf: (name: string) => number | undefined) => Record<string, unknown>
  /** In the block of this question, an ENUMERATOR, each question is asked once for every entity. */
  repeated?: readonly SimulatedQuestion[]
}

export interface Submission {
  applicant: number
  program: string
  /** What is stored at `applicant`. */
  answers: Record<string, unknown>
  /** An ID that was allocated before. */
  draft?: number
  locale?: string | null
  submitterEmail?: string
  /** Whether the document is stored as a JSON string. */
  doubleEncoded?: boolean
  /** Hooks inside the transaction: before the time is taken, and after. */
  beforeTime?: () => Promise<unknown>
  afterTime?: () => Promise<unknown>
  /** Instead of the clock. */
  time?: string
}

export class SimulatedCiviForm {
  readonly #optional: { note: boolean; statusTime: boolean; original: boolean }

  constructor(
    readonly database: CiviFormDatabase,
    readonly app: Sql = database.app,
  ) {
    const { age } = database
    this.#optional = { note: age !== '2023', statusTime: age === '2026', original: age === '2026' }
  }

  async organization(name: string): Promise<number> {
    return this.#id(this.app`insert into ti_organizations (name) values (${name}) returning id`)
  }

  /** An applicant with an account. */
  async applicant(options: { organization?: number; columns?: Record<string, string> } = {}): Promise<number> {
    const account = await this.#id(
      this.app`insert into accounts (managed_by_group_id) values (${options.organization ?? null}) returning id`,
    )
    return this.#id(
      this
        .app`insert into applicants ${this.app({ account_id: account, object: this.app.json({ applicant: {} }), ...options.columns } as never)} returning id`,
    )
  }

  /** Saves programs as drafts and publishes them together as a new version. Returns the ID of each program's row. */
  async publish(
    programs: Record<string, readonly SimulatedQuestion[]>,
    options: { slug?: string } = {},
  ): Promise<Record<string, number>> {
    return (await this.app.begin('isolation level serializable', async tx => {
      const version = await this.#draftVersion(tx)
      const ids: Record<string, number> = {}
      for (const [name, questions] of Object.entries(programs))
        ids[name] = await this.#saveProgram(tx, version, name, questions, options)
      const kept = await tx<{ id: number }[]>`
        select p.id from programs p
        join versions_programs vp on vp.programs_id = p.id
        join versions v on v.id = vp.versions_id and v.lifecycle_stage = 'active'
        where p.name <> all(${Object.keys(programs)}::text[])
        and not exists (
          select from versions_programs own join programs draft on draft.id = own.programs_id
          where own.versions_id = ${version} and draft.name = p.name
        )`
      for (const { id } of kept)
        await tx`insert into versions_programs (programs_id, versions_id) values (${id}, ${version})`
      await tx`update versions set lifecycle_stage = 'obsolete' where lifecycle_stage = 'active'`
      await tx`update versions set lifecycle_stage = 'active', submit_time = clock_timestamp() at time zone 'UTC' where id = ${version}`
      return ids
    })) as Record<string, number>
  }

  /** Saves a program as a draft, without publishing it. */
  async saveDraft(name: string, questions: readonly SimulatedQuestion[]): Promise<number> {
    return (await this.app.begin(async tx =>
      this.#saveProgram(tx, await this.#draftVersion(tx), name, questions, {}),
    )) as number
  }

  async #draftVersion(tx: Transaction): Promise<number> {
    const [draft] = await tx<{ id: number }[]>`select id from versions where lifecycle_stage = 'draft'`
    return draft?.id ?? this.#id(tx`insert into versions (lifecycle_stage) values ('draft') returning id`)
  }

  async #saveProgram(
    tx: Transaction,
    version: number,
    name: string,
    questions: readonly SimulatedQuestion[],
    { slug }: { slug?: string },
  ): Promise<number> {
    const blocks: unknown[] = []
    const ids = new Map<string, number>()
    const place = async (
      among: readonly SimulatedQuestion[],
      enumerator: number | null,
      block: number | null,
    ): Promise<void> => {
      for (const question of among) {
        const id = await this.#saveQuestion(tx, version, question, enumerator)
        ids.set(question.name, id)
        const own = blocks.length + 1
        blocks.push({
          id: own,
          name: `Screen ${own}`,
          description: '',
          repeaterId: block,
          localizedName: { isRequired: true, translations: { en_US: `Screen ${own}` } },
          hidePredicate: null,
          questionDefinitions: [{ id, optional: true, addressCorrectionEnabled: question.type === 'ADDRESS' }],
          ...question.block?.(name => ids.get(name)),
        })
        await place(question.repeated ?? [], id, own)
      }
    }
    await place(questions, null, null)
    const [draft] = await tx<{ id: number }[]>`
      select p.id from programs p join versions_programs vp on vp.programs_id = p.id
      where vp.versions_id = ${version} and p.name = ${name}`
    const definitions = tx.json(blocks as never)
    if (draft !== undefined) {
      await tx`update programs set block_definitions = ${definitions} where id = ${draft.id}`
      return draft.id
    }
    const id = await this.#id(tx`
      insert into programs (name, slug, block_definitions, localized_name, create_time)
      values (${name}, ${slug ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}, ${definitions},
        ${tx.json({ isRequired: true, translations: { en_US: `${name} for all` } })}, now() at time zone 'UTC')
      returning id`)
    await tx`insert into versions_programs (programs_id, versions_id) values (${id}, ${version})`
    return id
  }

  async #saveQuestion(
    tx: Transaction,
    version: number,
    question: SimulatedQuestion,
    enumerator: number | null,
  ): Promise<number> {
    const options = question.options?.map(([id, adminName], i) => ({
      id,
      adminName,
      displayOrder: (question.options?.length ?? 0) - i,
      displayInAnswerOptions: question.withdrawn?.includes(id) !== true,
      localizedOptionText: { isRequired: true, translations: { en_US: `Option ${adminName}` } },
    }))
    const id = await this.#id(tx`
      insert into questions (name, question_type, enumerator_id, question_options, question_text, question_help_text, question_tags)
      values (${question.name}, ${question.type}, ${enumerator}, ${options === undefined ? null : tx.json(options)},
        ${tx.json({ isRequired: true, translations: { en_US: `What about ${question.name}?` } })},
        ${tx.json({ isRequired: false, translations: {} })}, ${[...(question.tags ?? [])]}::varchar[])
      returning id`)
    await tx`insert into versions_questions (questions_id, versions_id) values (${id}, ${version})`
    return id
  }

  /** The row of the program that applicants see. */
  async activeProgram(db: Sql | Transaction, name: string): Promise<number> {
    return this.#id(db`
      select p.id from programs p join versions_programs vp on vp.programs_id = p.id
      join versions v on v.id = vp.versions_id and v.lifecycle_stage = 'active'
      where p.name = ${name}`)
  }

  /** Saves the first block, which allocates the application's ID long before its submission. */
  async draft(applicant: number, program: string): Promise<number> {
    const row = await this.activeProgram(this.app, program)
    return this.#id(this.app`
      insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time)
      values (${applicant}, ${row}, '{}', 'draft', clock_timestamp() at time zone 'UTC')
      returning id`)
  }

  /** As CiviForm submits: earlier applications become obsolete, then the time is taken, then the row is written, in one transaction. */
  async submit(submission: Submission): Promise<number> {
    const { applicant, program, answers, locale = 'en-US', submitterEmail = null } = submission
    const document = JSON.stringify({ applicant: answers })
    const stored = submission.doubleEncoded === true ? JSON.stringify(document) : document
    return (await this.app.begin('isolation level read committed', async tx => {
      await tx`
        select a.id from applications a join programs p on p.id = a.program_id
        where a.applicant_id = ${applicant} and p.name = ${program} and a.lifecycle_stage = 'active'`
      await submission.beforeTime?.()
      await tx`
        update applications a set lifecycle_stage = 'obsolete', submit_time = coalesce(submit_time, clock_timestamp() at time zone 'UTC')
        from programs p
        where p.id = a.program_id and a.applicant_id = ${applicant} and p.name = ${program} and a.lifecycle_stage = 'active'`
      const time = submission.time ?? new Date(performance.timeOrigin + performance.now()).toISOString()
      await submission.afterTime?.()
      const row = await this.activeProgram(tx, program)
      if (submission.draft !== undefined) {
        await tx`
          update applications
          set lifecycle_stage = 'active', program_id = ${row}, object = ${stored}::text::jsonb,
            submit_time = ${time}::timestamptz at time zone 'UTC', preferred_locale = ${locale}, submitter_email = ${submitterEmail}
          where id = ${submission.draft}`
        return submission.draft
      }
      return this.#id(tx`
        insert into applications (applicant_id, program_id, object, lifecycle_stage, create_time, submit_time, preferred_locale, submitter_email)
        values (${applicant}, ${row}, ${stored}::text::jsonb, 'active',
          (${time}::timestamptz - interval '1 minute') at time zone 'UTC', ${time}::timestamptz at time zone 'UTC', ${locale}, ${submitterEmail})
        returning id`)
    })) as number
  }

  /** Changes a program's statuses: adds a new row, and the previous one becomes obsolete. Old releases store them in the program itself. */
  async defineStatuses(program: string, ...names: string[]): Promise<void> {
    const definitions = this.app.json({ statuses: names.map(status => ({ status })) })
    if (this.database.age === '2023')
      return void (await this.app`update programs set status_definitions = ${definitions} where name = ${program}`)
    await this.app.begin(async tx => {
      const id = await this.#id(tx`
        insert into application_statuses (program_name, status_definitions, status_definitions_lifecycle_stage, create_time)
        values (${program}, ${definitions}, 'active', now()) returning id`)
      await tx`
        update application_statuses set status_definitions_lifecycle_stage = 'obsolete'
        where program_name = ${program} and id <> ${id}`
    })
  }

  async setStatus(application: number, status: string): Promise<void> {
    await this.#event(application, 'STATUS_CHANGE', { status_event: { status_text: status, email_sent: false } })
    const time = this.#optional.statusTime
      ? this.app`, status_last_modified_time = clock_timestamp() at time zone 'UTC'`
      : this.app``
    await this.app`update applications set latest_status = ${status} ${time} where id = ${application}`
  }

  async setNote(application: number, note: string): Promise<void> {
    await this.#event(application, 'NOTE_CHANGE', { note_event: { note } })
    if (this.#optional.note) await this.app`update applications set latest_note = ${note} where id = ${application}`
  }

  async #event(application: number, type: string, details: Record<string, unknown>): Promise<void> {
    await this.app`
      insert into application_events (application_id, event_type, details, create_time)
      values (${application}, ${type}, ${this.app.json({ event_type: type, ...details } as never)}, clock_timestamp() at time zone 'UTC')`
  }

  /** A guest signs in: what they submitted as a guest now belongs to their account, and an older one may become obsolete without a successor. */
  async merge(guest: number, account: number, obsolete: readonly number[] = []): Promise<void> {
    const original = this.#optional.original
      ? this.app`, original_applicant_id = coalesce(original_applicant_id, applicant_id)`
      : this.app``
    await this.app`update applications set applicant_id = ${account} ${original} where applicant_id = ${guest}`
    await this.app`update applications set lifecycle_stage = 'obsolete' where id = any(${[...obsolete]}::bigint[])`
  }

  /** Does the work of a data job. */
  async rewrite(application: number, answers: Record<string, unknown>): Promise<void> {
    await this
      .app`update applications set object = ${JSON.stringify({ applicant: answers })}::text::jsonb where id = ${application}`
  }

  async remove(...applications: number[]): Promise<void> {
    await this.app`delete from applications where id = any(${applications}::bigint[])`
  }

  /** Deletes like newer releases: each with its own record. */
  async removeOnRecord(...applications: number[]): Promise<void> {
    await this.app.begin(async tx => {
      await tx`
        insert into application_deletion_record (application_id, program_name, deletion_trigger, delete_time)
        select a.id, p.name, 'ADMIN', clock_timestamp() at time zone 'UTC'
        from applications a join programs p on p.id = a.program_id
        where a.id = any(${applications}::bigint[])`
      await tx`delete from applications where id = any(${applications}::bigint[])`
    })
  }

  /** Deletes an account with everything its applicants submitted. */
  async removeAccountOf(applicant: number): Promise<void> {
    await this.app.begin(async tx => {
      await tx`delete from applications where applicant_id = ${applicant}`
      const [gone] = await tx<
        { account_id: number }[]
      >`delete from applicants where id = ${applicant} returning account_id`
      await tx`delete from accounts where id = ${gone!.account_id}`
      await tx`
        insert into account_deletion_record (account_id, applicant_ids, deletion_trigger, delete_time)
        values (${gone!.account_id}, ${`[${applicant}]`}, 'ADMIN', clock_timestamp() at time zone 'UTC')`
    })
  }

  /** Sets columns of an application, as an old release or a race left them. */
  async set(application: number, columns: Record<string, string | number | null>): Promise<void> {
    await this.app`update applications set ${this.app(columns as never)} where id = ${application}`
  }

  async #id(statement: PromiseLike<readonly unknown[]>): Promise<number> {
    return ((await statement)[0] as { id: number }).id
  }
}
