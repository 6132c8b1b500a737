// Pages about retention periods: the list of programs, and a program's form, which previews what it would erase.

/** @jsxImportSource preact */

import { expiredMax, type RetentionEffect } from '../../../core/applications/erase.ts'
import type { ProgramRetention } from '../../../db/programs/program-overviews.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import {
  counted,
  DoneNotice,
  distance,
  LinkButton,
  Named,
  NotDone,
  Notice,
  Table,
  When,
} from '../../html/components.tsx'
import { ActionForm, Choices, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { isPart, Pages, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { SettingsTabs } from './settings-page.tsx'

const listPath = '/admin/settings/retention'

export function RetentionListPage({ items, next }: { items: readonly ProgramRetention[]; next: string | null }) {
  const { query } = usePage()
  return (
    <Shell
      title="Retention"
      part="settings"
      crumbs={[{ text: 'Settings', path: '/admin/settings' }, { text: 'Retention' }]}
      lead="How long each program keeps applications after submission. Older applications are permanently erased."
    >
      <SettingsTabs current="retention" />
      <SearchForm path={listPath} label="Find a program" hint="Name or slug" />
      <Table
        caption="Programs"
        rows={items}
        empty={
          isPart(query)
            ? 'No programs match. Change the search.'
            : 'No programs yet. They appear here once they’re created.'
        }
        columns={[
          {
            head: 'Program',
            cell: ({ slug, display_name }) => (
              <Named href={`/admin/programs/${slug}/retention`} name={display_name} small={<code>{slug}</code>} />
            ),
          },
          {
            head: 'Retention period',
            cell: ({ retention_days: days }) =>
              days === null ? <span class="soft">permanent</span> : counted(days, 'day'),
          },
        ]}
      />
      <Pages path={listPath} next={next} what="programs" />
    </Shell>
  )
}

interface RetentionProps {
  /** With its oldest application, and the number about to be erased. */
  program: ProgramRetention & { oldest_submit_time: Micros | null; expired: number }
  /** A change to confirm, because it erases applications. */
  wanted: { days: number; effect: RetentionEffect } | undefined
  sweepMs: number
}

const doneTexts = { saved: 'Saved. Takes effect immediately.' }
const dayMicros = 86_400_000_000

const pathOf = ({ slug }: { slug: string }): string => `/admin/programs/${slug}/retention`

export function RetentionPage(props: RetentionProps) {
  const { program, wanted } = props
  const { form, person } = usePage()
  const { retention_days } = program
  const mayChange = person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title={`Retention · ${program.display_name}`}
      heading={`Retention period of ${program.display_name}`}
      part="settings"
      crumbs={[
        { text: 'Settings', path: '/admin/settings' },
        { text: 'Retention', path: listPath },
        { text: program.display_name },
      ]}
      lead={
        retention_days === null
          ? 'Applications are kept permanently.'
          : `Applications are kept for ${counted(retention_days, 'day')} after submission.`
      }
    >
      <DoneNotice texts={doneTexts} />
      {form.conflict !== undefined && <NotDone name="changed-since">{form.conflict.detail}</NotDone>}
      <ErrorSummary />
      {wanted !== undefined && <WantedNotice {...props} wanted={wanted} />}
      <div class="columns">
        {mayChange && <KeepForm {...props} />}
        <section class="card">
          <h2>Effect</h2>
          {retention_days === null ? (
            <p>Nothing is erased automatically. You can erase an application or applicant on the application’s page.</p>
          ) : (
            <Present {...props} days={retention_days} />
          )}
          <p>
            Applications are erased with their status, notes and history. Saved answers that were never submitted are
            erased after the same time. Application numbers and submission times stay in the audit log. Later exports
            leave the applications out.
          </p>
          <p class="soft">Backups and copies that connected systems have already exported are not erased.</p>
        </section>
      </div>
    </Shell>
  )
}

function KeepForm({ program, wanted }: RetentionProps) {
  const { values } = usePage().form
  const { retention_days } = program
  const path = pathOf(program)
  return (
    <section class="card">
      <h2>{wanted === undefined ? 'Change retention' : 'Confirm change'}</h2>
      <ActionForm action={path}>
        <input type="hidden" name="seen" value={values.get('seen') ?? String(retention_days ?? '')} />
        <Choices
          name="keep"
          legend="Keep applications"
          chosen={[retention_days === null ? 'ever' : 'days']}
          choices={[
            { value: 'ever', text: 'permanently' },
            { value: 'days', text: 'for a number of days after submission' },
          ]}
        />
        <TextField
          name="days"
          label="Days"
          inputmode="numeric"
          hint="365 days is about one year; 2,557 days is about seven."
          value={String(retention_days ?? '')}
        />
        {wanted !== undefined && (
          <TextField name="confirmation" label={`Type ${program.slug} to confirm`} hint="You can’t undo this." />
        )}
        <div class="actions">
          <Submit
            look={wanted === undefined ? undefined : 'danger'}
            text={wanted === undefined ? 'Save' : 'Save and erase'}
          />
          {wanted !== undefined && <LinkButton href={path} text="Cancel" />}
        </div>
      </ActionForm>
    </section>
  )
}

function Present({ program, days }: RetentionProps & { days: number }) {
  const { now } = usePage()
  const { oldest_submit_time: oldest, expired } = program
  if (oldest === null) return <p>No applications yet.</p>
  const due = oldest + days * dayMicros
  return (
    <p>
      {expired > 0 ? (
        <>{countedUpTo(expired)} past this period will be erased shortly.</>
      ) : (
        <>
          The oldest application was submitted <When at={oldest} />. It will be erased {distance(due, now)}, on{' '}
          <When at={due} />.
        </>
      )}
    </p>
  )
}

function WantedNotice(props: RetentionProps & { wanted: NonNullable<RetentionProps['wanted']> }) {
  const { now } = usePage()
  const { wanted, sweepMs } = props
  const { expired, oldest } = wanted.effect
  return (
    <Notice name="erases" tone="attention">
      <h2>This will erase {countedUpTo(expired)}</h2>
      <p>
        All applications submitted before <When at={now - wanted.days * dayMicros} /> are erased
        {oldest !== null && (
          <>
            ; the oldest was submitted <When at={oldest} />
          </>
        )}
        . Erasure starts within {counted(Math.ceil(sweepMs / 1000), 'second')} of saving. Nothing has changed yet.
      </p>
    </Notice>
  )
}

const countedUpTo = (expired: number): string =>
  `${expired === expiredMax ? 'at least ' : ''}${counted(expired, 'application')}`
