// The index of API keys: what needs attention first, then who pulls what, from where, until when.

/** @jsxImportSource preact */

import type { ApiKeyDay } from '../../db/keys/api-key-rows.ts'
import { Submit } from '../../html/fields.tsx'
import { usePage } from '../../html/page-context.ts'
import { Badge, distance, LastUse, LinkButton, Notice, Table, Tabs, When } from '../../html/parts.tsx'
import { Shell } from '../../html/shell.tsx'
import { isListed, type KeyGroup, type ListedApiKey } from '../../keys/api-keys.ts'
import { expiringSoonDays } from '../../keys/expiry.ts'
import { Expiry, fromWhere, pathOfKey, StateBadge, Use } from './key-labels.tsx'

interface KeyIndexProps {
  all: readonly ListedApiKey[]
  programs: readonly string[]
  days: readonly ApiKeyDay[]
}

const tabTexts: Readonly<Record<KeyGroup, string>> = {
  active: 'Active',
  expiring: 'Expiring',
  expired: 'Expired',
  retired: 'Retired',
}

export function KeyIndexPage(props: KeyIndexProps) {
  const { root, person, query, now, origin } = usePage()
  const groups = Object.keys(tabTexts) as KeyGroup[]
  const tab = groups.find(name => name === query.get('state')) ?? 'active'
  const [search, program] = [query.get('q') ?? '', query.get('program') ?? '']
  const inGroup = (group: KeyGroup) => props.all.filter(one => isListed(one, { group, search: '', program: '' }))
  const counts = Object.fromEntries(groups.map(name => [name, inGroup(name).length])) as Record<KeyGroup, number>
  const mayMake = person?.role === 'ADMINISTRATOR'
  const path = `${root}/admin/keys`
  const filters = `${search === '' ? '' : `&q=${encodeURIComponent(search)}`}${program === '' ? '' : `&program=${program}`}`
  return (
    <Shell
      title="API keys"
      part="keys"
      crumbs={[{ text: 'API' }, { text: 'API keys' }]}
      lead="Each key lets one outside system pull, or one front end submit, the applications of named programs."
      actions={
        <>
          <LinkButton href={`${path}/check`} icon="flask-conical" text="Would a call pass?" />
          {mayMake && <LinkButton main href={`${path}/new`} icon="plus" text="Create a key" />}
        </>
      }
    >
      {counts.expiring > 0 && tab !== 'expiring' && (
        <Notice tone="attention">
          <strong>
            {counts.expiring === 1 ? 'One key expires' : `${counts.expiring} keys expire`} within {expiringSoonDays}{' '}
            days.
          </strong>{' '}
          Set a later expiry, or rotate: both secrets work during the overlap you choose, so nothing is interrupted.{' '}
          <a href={`${path}?state=expiring`}>Review {counts.expiring === 1 ? 'it' : 'them'}</a>
        </Notice>
      )}
      <Tabs
        label="Keys by state"
        tabs={groups.map(name => ({
          text: tabTexts[name],
          path: `${path}?state=${name}${filters}`,
          count: counts[name],
          current: name === tab,
        }))}
      />
      <form class="filters" method="get" action={path}>
        <input type="hidden" name="state" value={tab} />
        <label class="unseen" for="q">
          Search
        </label>
        <input id="q" name="q" type="search" value={search} placeholder="Name, program, key id or address" />
        <label class="unseen" for="program">
          Program
        </label>
        <select id="program" name="program">
          <option value="">Any program</option>
          {props.programs.map(slug => (
            <option value={slug} selected={slug === program}>
              {slug}
            </option>
          ))}
        </select>
        <Submit look="plain" icon="search" text="Search" />
      </form>
      <Table
        caption={`${tabTexts[tab]} API keys`}
        rows={props.all.filter(one => isListed(one, { group: tab, search, program }))}
        empty={
          search !== '' || program !== ''
            ? 'No key here matches. Try another word, or another tab.'
            : tab === 'active'
              ? 'There is no key yet. Create one for each outside system that is to pull applications.'
              : 'None.'
        }
        columns={[
          {
            head: 'Key',
            cell: one => (
              <>
                <a class="strong" href={root + pathOfKey(one.api_key_id)}>
                  {one.name}
                </a>{' '}
                {one.followed && <Badge>{origin}</Badge>} {one.state === 'exposed' && <StateBadge state="exposed" />}
                <small>
                  {one.created_by.replace(/^(admin|operator):/, '')}, <When at={one.created_at} day />
                </small>
              </>
            ),
          },
          {
            head: 'Programs',
            cell: one => <Programs of={one} all={props.programs.length} />,
          },
          {
            head: 'Allowed from',
            cell: one =>
              fromWhere(one)
                .slice(0, 3)
                .map(subnet => <code class="line">{subnet}</code>),
          },
          { head: 'Expires', cell: one => <Expiry apiKey={one} /> },
          {
            head: 'Last used',
            cell: ({ last_used_at: at, last_used_address }) => (
              <LastUse at={at} address={last_used_address} said={at === null ? undefined : distance(at, now)} />
            ),
          },
          { head: '30 days', cell: one => <Use days={props.days} apiKey={one} /> },
        ]}
      />
    </Shell>
  )
}

/** Of more than a few, the rest in a fold; in words, because a key may have hundreds. */
function Programs({ of: { programs }, all }: { of: ListedApiKey; all: number }) {
  const shown = programs.length <= 5 ? programs.length : programs.length === all ? 0 : 4
  return (
    <>
      {programs.slice(0, shown).map(slug => (
        <Badge>{slug}</Badge>
      ))}
      {shown < programs.length && (
        <details>
          <summary>{shown === 0 ? `all ${all} programs` : `and ${programs.length - shown} more`}</summary>
          {programs.slice(shown).join(', ')}
        </details>
      )}
    </>
  )
}
