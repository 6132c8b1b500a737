// The list of API keys: who has access to which programs, from which addresses and until when.

/** @jsxImportSource preact */

import { type KeyGroup, type KeyPage, keyGroups } from '../../../core/keys/api-keys.ts'
import { expiringSoonDays } from '../../../core/keys/expiry.ts'
import type { ApiKeyDay } from '../../../db/keys/api-key-rows.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import {
  Badge,
  distance,
  figures,
  LastUse,
  LinkButton,
  Notice,
  Table,
  Tabs,
  When,
  Who,
} from '../../html/components.tsx'
import { type NamedProgram, ProgramBadge, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { Expiry, fromWhere, Maker, pathOfKey, StateBadge, Use } from './key-labels.tsx'

/** Keys per page. */
export const keyPageRows = 20

export const groupNames = Object.keys(keyGroups) as KeyGroup[]

const tabTexts: Readonly<Record<KeyGroup, string>> = {
  active: 'Active',
  expiring: 'Expiring',
  disabled: 'Disabled',
  expired: 'Expired',
  retired: 'Retired',
}

interface KeyIndexProps extends KeyPage {
  tab: KeyGroup
  days: readonly ApiKeyDay[]
  programs: readonly NamedProgram[]
}

export function KeyIndexPage({ tab, counts, shown, before, found, days, programs }: KeyIndexProps) {
  const { person, query } = usePage()
  const [search, program] = [query.get('q') ?? '', query.get('program') ?? '']
  const mayMake = person?.role === 'ADMINISTRATOR'
  const path = '/admin/keys'
  const listOf = (state: KeyGroup): string =>
    `${path}?${new URLSearchParams({ state, ...(search && { q: search }), ...(program && { program }) })}`
  return (
    <Shell
      title="API keys"
      part="keys"
      crumbs={[{ text: 'API' }, { text: 'API keys' }]}
      lead="A key lets one system export applications from selected programs, or one front end submit them."
      actions={
        <>
          <LinkButton href={`${path}/check`} icon="flask-conical" text="Test access" />
          {mayMake && <LinkButton main href={`${path}/new`} icon="plus" text="Create key" />}
        </>
      }
    >
      {tab !== 'expiring' && <ExpiringNotice count={counts.expiring} path={path} />}
      <Tabs
        label="Keys by state"
        tabs={groupNames.map(name => ({
          text: tabTexts[name],
          path: listOf(name),
          count: counts[name],
          current: name === tab,
        }))}
      />
      <SearchForm path="/admin/keys" label="Search" hint="Name, program, key ID or address">
        <input type="hidden" name="state" value={tab} />
        <ProgramFilter programs={programs} chosen={program} />
      </SearchForm>
      <div class="lines">
        <KeyTable
          tab={tab}
          shown={shown}
          days={days}
          programs={programs}
          empty={
            search !== '' || program !== ''
              ? 'No keys match. Change the search or try another tab.'
              : tab === 'active'
                ? `No API keys yet.${mayMake ? ' Create one for each system that exports applications.' : ''}`
                : `No ${tab} keys.`
          }
        />
      </div>
      {found > keyPageRows && <Pages before={before} shown={shown.length} found={found} path={listOf(tab)} />}
    </Shell>
  )
}

/** A list of program names, or a text field for the slug if there are too many programs for a list. */
const ProgramFilter = ({ programs, chosen }: { programs: readonly NamedProgram[]; chosen: string }) => (
  <>
    <label class="unseen" for="program">
      Program
    </label>
    {programs.length > programsMax ? (
      <input id="program" name="program" type="search" value={chosen} placeholder="Program slug" />
    ) : (
      <select id="program" name="program">
        <option value="">Any program</option>
        {programs.map(({ slug, display_name }) => (
          <option value={slug} selected={slug === chosen}>
            {display_name}
          </option>
        ))}
      </select>
    )}
  </>
)
const programsMax = 100

const ExpiringNotice = ({ count, path }: { count: number; path: string }) =>
  count === 0 ? null : (
    <Notice name="expiring" tone="attention">
      <strong>
        {count === 1 ? '1 key expires' : `${figures(count)} keys expire`} within {expiringSoonDays} days.
      </strong>{' '}
      Extend the expiry date of keys that are still needed.{' '}
      <a href={`${path}?state=expiring`}>Review {count === 1 ? 'it' : 'them'}</a>
    </Notice>
  )

function KeyTable(props: Pick<KeyIndexProps, 'tab' | 'shown' | 'days' | 'programs'> & { empty: string }) {
  const { tab, shown, days, programs, empty } = props
  const { now, origin, person } = usePage()
  return (
    <Table
      caption={`${tabTexts[tab]} API keys`}
      rows={shown}
      empty={empty}
      columns={[
        {
          head: 'Key',
          cell: apiKey => (
            <>
              <a class="strong" dir="auto" href={pathOfKey(apiKey.api_key_id)}>
                {apiKey.name}
              </a>{' '}
              {apiKey.followed && <Badge>{origin}</Badge>}{' '}
              {apiKey.state === 'exposed' && <StateBadge state="exposed" />}
              <small dir="auto">
                <Who actor={apiKey.created_by} />, <When at={apiKey.created_at} day />
              </small>
            </>
          ),
        },
        {
          head: 'Programs',
          cell: apiKey => <Programs of={apiKey} all={programs} />,
        },
        {
          head: 'Allowed addresses',
          cell: apiKey =>
            fromWhere(apiKey)
              .slice(0, 3)
              .map(subnet => <code class="line">{subnet}</code>),
        },
        {
          head: tab === 'retired' ? 'Retired' : 'Expires',
          cell: apiKey =>
            apiKey.retired_at === null ? (
              <Expiry apiKey={apiKey} />
            ) : (
              <Maker at={apiKey.retired_at} actor={apiKey.retired_by} day />
            ),
        },
        {
          head: 'Last used',
          cell: ({ last_used_at: at, last_used_address }) => (
            <LastUse at={at} address={last_used_address} text={at === null ? undefined : distance(at, now)} />
          ),
        },
        { head: 'Last 30 days', cell: apiKey => <Use days={days} apiKey={apiKey} /> },
        ...(person?.role === 'ADMINISTRATOR' ? [{ head: 'Actions', cell: RowMenu }] : []),
      ]}
    />
  )
}

const Pages = ({ before, shown, found, path }: { before: number; shown: number; found: number; path: string }) => (
  <nav class="pages" aria-label="Pages of keys">
    <span class="soft figure">
      {figures(before + 1)}–{figures(before + shown)} of {figures(found)}
    </span>
    {before > 0 && (
      <LinkButton
        rel="prev"
        href={`${path}&after=${Math.max(0, before - keyPageRows)}`}
        icon="chevron-left"
        text="Previous"
      />
    )}
    {before + keyPageRows < found && (
      <LinkButton rel="next" href={`${path}&after=${before + keyPageRows}`} icon="chevron-right" text="Next" />
    )}
  </nav>
)

/** Actions on a key in the list. The others are on the key's page, which keeps long lists small. */
function RowMenu({ api_key_id, name, followed, retired_at }: ListedApiKey) {
  if (followed || retired_at !== null) return null
  const path = pathOfKey(api_key_id)
  return (
    <details class="row-menu" name="menu">
      <summary aria-label={`Actions for ${name}`}>…</summary>
      <div>
        <a href={`${path}/rotate`}>Rotate</a>
        <a class="danger" href={`${path}/retire`}>
          Retire…
        </a>
      </div>
    </details>
  )
}

/** The first few programs. The key's page shows all of them. */
const Programs = ({ of: { programs }, all }: { of: ListedApiKey; all: readonly NamedProgram[] }) => (
  <>
    {programs.length > 4 && programs.length === all.length ? (
      <Badge>all {figures(programs.length)} programs</Badge>
    ) : (
      programs.slice(0, 4).map(slug => <ProgramBadge slug={slug} among={all} />)
    )}
    {programs.length > 4 && programs.length < all.length && <small>and {figures(programs.length - 4)} more</small>}
  </>
)
