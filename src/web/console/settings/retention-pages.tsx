// How long programs keep their applications: all of them in a list, and one as a form that says what it will erase.

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
      lead="How long each program keeps its applications after they were submitted. Then they are erased for good."
    >
      <SettingsTabs current="retention" />
      <SearchForm path={listPath} label="Find a program" hint="Name or slug" />
      <Table
        caption="Programs"
        rows={items}
        empty={isPart(query) ? 'No program here matches. Try another word.' : 'There is no program yet.'}
        columns={[
          {
            head: 'Program',
            cell: ({ slug, display_name }) => (
              <Named href={`/admin/programs/${slug}/retention`} name={display_name} small={<code>{slug}</code>} />
            ),
          },
          {
            head: 'Applications are kept',
            cell: one =>
              one.retention_days === null ? (
                <span class="soft">permanently</span>
              ) : (
                `for ${counted(one.retention_days, 'day')}`
              ),
          },
        ]}
      />
      <Pages path={listPath} next={next} what="programs" />
    </Shell>
  )
}

interface RetentionProps {
  /** With its oldest application, and how many are about to be erased. */
  program: ProgramRetention & { oldest_submit_time: Micros | null; expired: number }
  /** A change that the person must confirm, because it erases data. */
  wanted: { days: number; effect: RetentionEffect } | undefined
  sweepMs: number
}

const doneTexts = { saved: 'Saved. It holds from now on.' }
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
      heading={`How long ${program.display_name} keeps its applications`}
      part="settings"
      crumbs={[
        { text: 'Settings', path: '/admin/settings' },
        { text: 'Retention', path: listPath },
        { text: program.display_name },
      ]}
      lead={
        retention_days === null ? 'Permanently.' : `For ${counted(retention_days, 'day')} after they were submitted.`
      }
    >
      <DoneNotice texts={doneTexts} />
      {form.conflict !== undefined && (
        <NotDone name="changed-since">{form.conflict.detail} The form shows what is set now.</NotDone>
      )}
      <ErrorSummary />
      {wanted !== undefined && <WantedNotice {...props} wanted={wanted} />}
      <div class="columns">
        {mayChange && <KeepForm {...props} />}
        <section class="card">
          <h2>What that means</h2>
          {retention_days === null ? (
            <p>
              Nothing is erased automatically. One application, or all of an applicant, is erased on the page of the
              application.
            </p>
          ) : (
            <Present {...props} days={retention_days} />
          )}
          <p>
            An application goes with its status, notes and their history; answers that were saved and not submitted go
            when they were not touched for as long. What stays is its number and time of submission, and a line in the
            audit log. Clients that pull continue without it.
          </p>
          <p class="soft">Backups, and copies that clients have pulled already, are not reached.</p>
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
      <h2>{wanted === undefined ? 'Change it' : 'Confirm it'}</h2>
      <ActionForm action={path}>
        <input type="hidden" name="seen" value={values.get('seen') ?? String(retention_days ?? '')} />
        <Choices
          name="keep"
          legend="Applications are kept"
          chosen={[retention_days === null ? 'ever' : 'days']}
          choices={[
            { value: 'ever', text: 'permanently' },
            { value: 'days', text: 'for a number of days after they were submitted' },
          ]}
        />
        <TextField
          name="days"
          label="Days"
          inputmode="numeric"
          hint="365 is about a year, 2,557 about seven."
          value={String(retention_days ?? '')}
        />
        {wanted !== undefined && (
          <TextField
            name="confirmation"
            label={`Write ${program.slug} to erase them`}
            hint="It cannot be undone but from a backup."
          />
        )}
        <div class="actions">
          <Submit
            look={wanted === undefined ? undefined : 'danger'}
            text={wanted === undefined ? 'Save' : 'Save, and erase them'}
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
  if (oldest === null) return <p>There is no application yet.</p>
  const due = oldest + days * dayMicros
  return (
    <p>
      {expired > 0 ? (
        <>{countedUpTo(expired)} are older, and about to be erased.</>
      ) : (
        <>
          The oldest application is from <When at={oldest} />. It is erased {distance(due, now)}, on <When at={due} />.
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
      <h2>This erases {countedUpTo(expired)} that are there now</h2>
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

const countedUpTo = (expired: number): string =>
  `${expired === expiredMax ? 'at least ' : ''}${counted(expired, 'application')}`
