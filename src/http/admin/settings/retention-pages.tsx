// How long programs keep their applications: all of them in a list, and one as a form that says what it will erase.

/** @jsxImportSource preact */

import type { ProgramRetention } from '../../../db/program-overviews.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import type { RetentionEffect } from '../../../upkeep/erase.ts'
import { Choices, DeedForm, FaultSummary, type FormState, Submit, TextField } from '../../shell/fields.tsx'
import type { PageContext } from '../../shell/page-context.ts'
import { distance, figures, LinkButton, Named, Notice, Table, When } from '../../shell/parts.tsx'
import { Shell } from '../../shell/shell.tsx'
import { Pages, SearchForm } from '../programs/programs-pages.tsx'
import { SettingsTabs } from './settings-page.tsx'

const days = (count: number): string => `${figures(count)} ${count === 1 ? 'day' : 'days'}`

export function RetentionListPage(props: {
  context: PageContext
  programs: readonly ProgramRetention[]
  search: string
  after: string
  next: string | null
}) {
  const { context, programs, search, after, next } = props
  const path = `${context.root}/admin/settings/retention`
  return (
    <Shell
      context={context}
      title="Retention"
      part="settings"
      crumbs={[{ text: 'Settings', path: '/admin/settings' }, { text: 'Retention' }]}
      lead="How long each program keeps its applications after they were submitted. Then they are erased for good."
    >
      <SettingsTabs context={context} current="retention" />
      <SearchForm path={path} search={search} label="Find a program" hint="Name or slug" />
      <Table
        caption="Programs"
        rows={programs}
        empty={
          search !== '' || after !== '' ? 'No program here matches. Try another word.' : 'There is no program yet.'
        }
        columns={[
          {
            head: 'Program',
            cell: ({ slug, display_name }) => (
              <Named
                href={`${context.root}/admin/programs/${slug}/retention`}
                name={display_name}
                small={<code>{slug}</code>}
              />
            ),
          },
          {
            head: 'Applications are kept',
            cell: one =>
              one.retention_days === null ? <span class="soft">for ever</span> : `for ${days(one.retention_days)}`,
          },
        ]}
      />
      <Pages path={path} search={search} after={after} next={next} what="programs" />
    </Shell>
  )
}

interface RetentionProps {
  context: PageContext
  now: Micros
  form: FormState
  program: ProgramRetention
  /** Of the number of days that is set; undefined where applications are kept for ever. */
  present: RetentionEffect | undefined
  /** What was asked for and must be confirmed, because it erases what is there. */
  wanted: { days: number; effect: RetentionEffect } | undefined
  /** Up to how many applications are counted. */
  countMax: number
  sweepMs: number
  conflict: string | undefined
  done: string | null
}

const dayMicros = 86_400_000_000

export function RetentionPage(props: RetentionProps) {
  const { context, form, program, present, wanted, conflict } = props
  const { retention_days } = program
  const path = `${context.root}/admin/programs/${program.slug}`
  const mayChange = context.person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      faulty={form.faults.length > 0}
      context={context}
      title="Retention"
      heading={`How long ${program.display_name} keeps its applications`}
      part="settings"
      crumbs={[
        { text: 'Settings', path: '/admin/settings' },
        { text: 'Retention', path: '/admin/settings/retention' },
        { text: program.display_name },
      ]}
      lead={retention_days === null ? 'For ever.' : `For ${days(retention_days)} after they were submitted.`}
    >
      {props.done === 'saved' && conflict === undefined && form.faults.length === 0 && wanted === undefined && (
        <Notice tone="good">Saved. It holds from now on.</Notice>
      )}
      {conflict !== undefined && <Notice tone="bad">{conflict} The form shows what is set now.</Notice>}
      <FaultSummary form={form} />
      {wanted !== undefined && <WantedNotice {...props} wanted={wanted} />}
      <div class="columns">
        {mayChange && (
          <section class="card">
            <h2>{wanted === undefined ? 'Change it' : 'Confirm it'}</h2>
            <DeedForm action={`${path}/retention`}>
              <input type="hidden" name="seen" value={form.values.get('seen') ?? String(retention_days ?? '')} />
              <Choices
                form={form}
                name="keep"
                legend="Applications are kept"
                chosen={[retention_days === null ? 'ever' : 'days']}
                choices={[
                  { value: 'ever', text: 'for ever' },
                  { value: 'days', text: 'for a number of days after they were submitted' },
                ]}
              />
              <TextField
                form={form}
                name="days"
                label="Days"
                inputmode="numeric"
                hint="365 is about a year, 2,557 about seven."
                value={String(retention_days ?? '')}
              />
              {wanted !== undefined && (
                <TextField
                  form={form}
                  name="confirmation"
                  label={`Write ${program.slug} to erase them`}
                  hint="It cannot be undone but from a backup."
                />
              )}
              <div class="deeds">
                <Submit
                  look={wanted === undefined ? undefined : 'danger'}
                  text={wanted === undefined ? 'Save' : 'Save, and erase them'}
                />
                {wanted !== undefined && <LinkButton href={`${path}/retention`} text="Leave it as it is" />}
              </div>
            </DeedForm>
          </section>
        )}
        <section class="card">
          <h2>What that means</h2>
          {present === undefined ? (
            <p>Nothing is erased by itself. One application, or all of an applicant, is erased by scripts/erase.</p>
          ) : (
            <Present {...props} present={present} />
          )}
          <p>
            An application goes with its status, notes and their history; answers that were saved and not submitted go
            when they were not touched for as long. What stays is its number and time of submission, and a line in the
            audit trail. Clients that pull go on without it.
          </p>
          <p class="soft">Backups, and copies that clients have pulled already, are not reached.</p>
        </section>
      </div>
    </Shell>
  )
}

function Present({ program, present, now, countMax }: RetentionProps & { present: RetentionEffect }) {
  const { oldest, expired } = present
  if (oldest === null) return <p>There is no application yet.</p>
  const due = oldest + program.retention_days! * dayMicros
  return (
    <p>
      {expired > 0 ? (
        <>{counted(expired, countMax)} are older, and about to be erased.</>
      ) : (
        <>
          The oldest application is from <When at={oldest} />. It is erased {distance(due, now)}, on <When at={due} />.
        </>
      )}
    </p>
  )
}

function WantedNotice(props: RetentionProps & { wanted: NonNullable<RetentionProps['wanted']> }) {
  const { now, wanted, countMax, sweepMs } = props
  const { expired, oldest } = wanted.effect
  return (
    <Notice tone="attention">
      <h2>This erases {counted(expired, countMax)} that are there now</h2>
      <p>
        All that were submitted before <When at={now - wanted.days * dayMicros} />
        {oldest !== null && (
          <>
            , the oldest of them <When at={oldest} />
          </>
        )}
        . The worker begins within {Math.ceil(sweepMs / 1000)} seconds of saving. Nothing is changed yet.
      </p>
    </Notice>
  )
}

const counted = (expired: number, countMax: number): string =>
  expired === 1 ? '1 application' : `${expired === countMax ? 'at least ' : ''}${figures(expired)} applications`
