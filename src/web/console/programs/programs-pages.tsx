// The list of programs, and a program's overview.

/** @jsxImportSource preact */

import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import type { Micros } from '../../../domain/values/offset-time.ts'
import {
  Badge,
  type Column,
  DoneNotice,
  distance,
  Facts,
  figures,
  LinkButton,
  Named,
  Table,
  Tabs,
  When,
  Who,
} from '../../html/components.tsx'
import { IntakeBadge, isPart, Pages, SearchForm } from '../../html/lists.tsx'
import { mayEditPrograms, usePage } from '../../html/page-context.ts'
import { CopyButton } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { type Activity, ByStatus, ReadBy, Submitted } from '../home/program-activity.tsx'
import { ExportsByClient, FirstStatus, type Pace } from '../home/program-pace.tsx'
import { QrCode } from '../requests/qr-code.tsx'
import { StatusBadge } from '../statuses/status-badge.tsx'
import { MadeBy, type ProgramPageProps, ProgramShell, pathOfProgram } from './program-shell.tsx'

const path = '/admin/programs'

export function ProgramsPage({ items, next }: { items: readonly ProgramOverview[]; next: string | null }) {
  const context = usePage()
  const { now, query, origin } = context
  const archived = query.get('archived') === 'yes'
  return (
    <Shell
      title="Programs"
      part="programs"
      lead={
        origin === undefined
          ? 'Programs residents can apply for. Changes take effect when you publish them.'
          : `Programs residents can apply for in ${origin}. Edit and publish programs there; changes arrive here within seconds.`
      }
      actions={mayEditPrograms(context) && <LinkButton main href="/admin/new-program" icon="plus" text="New program" />}
    >
      <Tabs
        label="Programs"
        tabs={[
          { text: 'Active', path, current: !archived },
          { text: 'Archived', path: `${path}?archived=yes`, current: archived },
        ]}
      />
      <SearchForm path={path} label="Find a program" hint="Name or slug">
        {archived && <input type="hidden" name="archived" value="yes" />}
      </SearchForm>
      <Table
        caption="Programs"
        rows={items}
        empty={
          isPart(query)
            ? 'No programs match. Change the search.'
            : archived
              ? `No archived programs.${mayEditPrograms(context) ? ' You can archive a program in its settings.' : ''}`
              : origin === undefined
                ? `No programs yet.${mayEditPrograms(context) ? ' Start with New program.' : ''}`
                : `No programs yet. The programs in ${origin} appear here after the first sync.`
        }
        columns={columnsAt(path, now)}
      />
      <Pages path={path} next={next} what="programs" />
    </Shell>
  )
}

const columnsAt = (path: string, now: Micros): Column<ProgramOverview>[] => [
  {
    head: 'Program',
    cell: item => (
      <>
        <Named href={`${path}/${item.slug}`} name={item.display_name} small={<code>{item.slug}</code>} />
        <IntakeBadge state={item.intake_state} />
      </>
    ),
  },
  {
    head: 'Active',
    cell: item =>
      item.active_version_id === null ? (
        <span class="soft">not published</span>
      ) : (
        <>
          <Badge tone="good">version {item.active_version_number}</Badge>
          <small>
            <When at={item.active_published_at!} day />
          </small>
        </>
      ),
  },
  {
    head: 'Draft',
    cell: item =>
      item.draft_version_id === null ? (
        <span class="soft">none</span>
      ) : (
        <>
          <Badge tone="attention">draft</Badge>
          <small dir="auto">
            <Who actor={item.draft_created_by} />
          </small>
        </>
      ),
  },
  { head: 'Applications', figures: true, cell: item => figures(item.submissions) },
  {
    head: 'Latest',
    cell: item =>
      item.last_submit_time === null ? (
        <span class="soft">none</span>
      ) : (
        <When at={item.last_submit_time} text={distance(Math.min(item.last_submit_time, now), now)} />
      ),
  },
  {
    head: 'Addresses',
    cell: program => (
      <details class="addresses">
        <summary>
          Export, deep link, docs<span class="unseen"> for {program.display_name}</span>
        </summary>
        <Addresses slug={program.slug} />
      </details>
    ),
  },
]

function Addresses({ slug, toCopy }: { slug: string; toCopy?: boolean }) {
  const { baseUrl, config } = usePage()
  const addresses = [
    ['Export', `${baseUrl}/api/v1/admin/programs/${slug}/applications`],
    ['Deep link', `${baseUrl}/${config.apply ? 'apply' : 'admin/programs'}/${slug}`],
    ['Documentation', `${baseUrl}/docs/api/programs/${slug}`],
  ] as const
  return (
    <dl class="stacked">
      {addresses.map(([what, address], i) => (
        <>
          <dt>{what}</dt>
          <dd>
            {what === 'Export' ? (
              <code id={toCopy ? `address-${i}` : undefined}>{address}</code>
            ) : (
              <a href={address}>
                <code id={toCopy ? `address-${i}` : undefined}>{address}</code>
              </a>
            )}{' '}
            {toCopy && <CopyButton of={`address-${i}`} what={what} />}
            {what === 'Deep link' && config.apply && <QrCode text={address} label="QR code with the deep link" />}
          </dd>
        </>
      ))}
    </dl>
  )
}

const doneTexts: Readonly<Record<string, string>> = {
  discarded: 'Draft discarded. The published version is unchanged.',
}

function Asked({ program, activity }: ProgramPageProps & { activity: Activity }) {
  const reads = usePage().person?.role !== 'PROGRAM_ADMINISTRATOR'
  return (
    <div class="card">
      <h2>Questions</h2>
      <Facts
        facts={[
          ['Published', <MadeBy at={program.active_published_at} by={program.active_published_by} />],
          ['Draft', <MadeBy at={program.draft_created_at} by={program.draft_created_by} />],
          [
            'Statuses',
            program.statuses.length === 0
              ? 'none'
              : program.statuses.map(status => (
                  <>
                    <StatusBadge status={status} program={activity} />{' '}
                  </>
                )),
          ],
        ]}
      />
      {reads && program.active_version_id === null && program.draft_version_id === null && (
        <p class="soft">This program has no version. Start again under New program with the same slug.</p>
      )}
      {reads && (program.active_version_id ?? program.draft_version_id) !== null && (
        <p>
          <a href={`${pathOfProgram(program.slug)}/questions`}>View questions</a>
        </p>
      )}
    </div>
  )
}

export function OverviewPage({ program, activity, pace }: ProgramPageProps & { activity: Activity; pace: Pace }) {
  return (
    <ProgramShell program={program} tab="overview">
      <DoneNotice texts={doneTexts} />
      <div class="columns even">
        <div class="asides">
          <section class="card" aria-labelledby="submitted">
            <h2 id="submitted">Submissions</h2>
            <Submitted slug={program.slug} {...activity} />
          </section>
          <section class="card" aria-labelledby="readers">
            <h2 id="readers">Exported by</h2>
            <ReadBy readers={activity.readers} last={program.last_submit_time} />
            <ExportsByClient {...pace} />
          </section>
        </div>
        <div class="asides">
          <section class="card" aria-labelledby="statuses">
            <h2 id="statuses">Applications by status</h2>
            <ByStatus slug={program.slug} {...activity} />
            <FirstStatus {...pace} />
          </section>
        </div>
        <div>
          <Asked program={program} activity={activity} />
          <div class="card">
            <h2>Addresses</h2>
            <p class="soft">
              The slug <code>{program.slug}</code> is <code>programSlug</code> in the export API and{' '}
              <code>program_name</code> in every application. It never changes.
            </p>
            <Addresses slug={program.slug} toCopy />
          </div>
        </div>
      </div>
    </ProgramShell>
  )
}
