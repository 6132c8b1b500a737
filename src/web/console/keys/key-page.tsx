// The page of an API key: access, use, rejected requests and the edit form.

/** @jsxImportSource preact */

import type { ComponentChildren } from 'preact'
import { keyVersion } from '../../../core/keys/api-keys.ts'
import { type KeySettingName, keySettings, settingNames, textsOf } from '../../../core/keys/key-settings.ts'
import type { KeyExport } from '../../../db/audit/key-exports.ts'
import type { ApiKeyDay } from '../../../db/keys/api-key-rows.ts'
import type { KeyRequestDay } from '../../../db/keys/key-request-days.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import type { Refusal } from '../../../db/keys/refusal-rows.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import {
  counted,
  DoneNotice,
  Facts,
  figures,
  LastUse,
  LinkButton,
  NotDone,
  Notice,
  When,
} from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit } from '../../html/fields.tsx'
import { type NamedProgram, programNames } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { CodeTabs } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { LastExports, RejectedRequests, RequestsByDay } from './key-activity.tsx'
import { crumb, type Offered, SettingFields } from './key-form-pages.tsx'
import { Expiry, fromWhere, Maker, pathOfKey, StateBadge } from './key-labels.tsx'
import { submitSample } from './submit-sample.tsx'

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Saved. Changes take effect with the next request, including for exports in progress.',
  retired: 'Key retired. It no longer works.',
  disabled: 'Key disabled. Requests are rejected until you enable it again.',
  enabled: 'Key enabled. It works again immediately.',
}

interface KeyProps extends ListedApiKey {
  days: readonly Omit<ApiKeyDay, 'api_key_id'>[]
  requests: readonly KeyRequestDay[]
  exports: readonly KeyExport[]
  refusals: readonly Refusal[]
  offered: Offered
  /** The published version of the first program. */
  version: StoredProgramVersion | undefined
}

export function EditKeyPage({ days, requests, exports, refusals, offered, version, ...key }: KeyProps) {
  const { person } = usePage()
  const path = pathOfKey(key.api_key_id)
  const mayChange = person?.role === 'ADMINISTRATOR' && key.retired_at === null && !key.followed
  const turn = key.disabled_at === null ? 'disable' : 'enable'
  return (
    <Shell
      title={`${key.name} · API keys`}
      heading={key.name}
      part="keys"
      styles={key.may_submit ? ['/assets/docs.css'] : []}
      crumbs={[crumb, { text: key.name }]}
      lead={
        <>
          <StateBadge state={key.state} /> <code>{key.api_key_id}</code>
        </>
      }
      actions={
        mayChange && (
          <>
            <ActionForm action={`${path}/${turn}`}>
              <Submit
                look="plain"
                icon={turn === 'enable' ? 'play' : 'pause'}
                text={turn === 'enable' ? 'Enable' : 'Disable'}
              />
            </ActionForm>
            <LinkButton href={`${path}/rotate`} icon="refresh-cw" text="Rotate" />
            <LinkButton href={`${path}/retire`} icon="trash-2" text="Retire…" />
          </>
        )
      }
    >
      <DoneNotice texts={doneTexts} />
      <KeyNotices apiKey={key} programs={offered.programs} />
      <ErrorSummary />
      <div class="columns">
        <Reach apiKey={key} offered={offered} />
        <Use apiKey={key} days={days} />
      </div>
      <RequestsByDay apiKeyId={key.api_key_id} requests={requests} />
      {key.may_export && <LastExports apiKeyId={key.api_key_id} exports={exports} programs={offered.programs} />}
      <RejectedRequests apiKeyId={key.api_key_id} requests={requests} refusals={refusals} />
      {key.may_submit && key.retired_at === null && <SubmitSamples apiKey={key} version={version} />}
      {mayChange && <ChangeForm apiKey={key} offered={offered} />}
    </Shell>
  )
}

/** Notices that the reader must see first. */
function KeyNotices({ apiKey: key, programs }: OfKey & Pick<Offered, 'programs'>) {
  const { now, form, origin } = usePage()
  return (
    <>
      {key.followed && (
        <Notice name="followed" tone="info">
          <strong>This key belongs to {origin}.</strong> Change or retire it there. Changes arrive here within seconds.
        </Notice>
      )}
      {key.disabled_at !== null && key.retired_at === null && (
        <Notice name="disabled" tone="attention">
          <strong>This key has been disabled</strong> since <When at={key.disabled_at} />. All its requests are rejected
          until you enable it again.
        </Notice>
      )}
      {key.exposed_at !== null && key.retired_at === null && (
        <Notice name="exposed" tone="bad">
          <strong>This key was sent without encryption</strong>, first on <When at={key.exposed_at} />, so someone else
          may have read it. {key.followed ? `Create a new key in ${origin} and retire this one there` : 'Rotate it'},
          and make sure the client uses https://.
        </Notice>
      )}
      {key.retired_at === null && key.earlier_secret_until !== null && key.earlier_secret_until > now && (
        <Notice name="two-passwords" tone="info">
          Both the new and the previous password work until{' '}
          <When at={Math.min(key.earlier_secret_until, key.expires_at)} />.
        </Notice>
      )}
      {form.conflict !== undefined && (
        <NotDone name="changed-since">
          <h2>Not saved: someone else changed this key</h2>
          <p>Your changes are still in the form. If you save again, they replace these current values:</p>
          <Facts facts={settingFacts(settingNames, key, programs)} />
        </NotDone>
      )}
    </>
  )
}

interface OfKey {
  apiKey: ListedApiKey
}

/** Settings that aren't shown as plain text. */
const shown: Partial<
  Record<KeySettingName, (key: ListedApiKey, programs: readonly NamedProgram[]) => ComponentChildren>
> = {
  programs: (key, programs) => <Programs slugs={key.programs} all={programs} />,
  allowed_subnets: key => <code>{fromWhere(key).join(', ')}</code>,
  expires_at: key => <When at={key.expires_at} until />,
}
const settingFacts = (names: readonly KeySettingName[], key: ListedApiKey, programs: readonly NamedProgram[]) =>
  names.map(
    name =>
      [keySettings[name].label, shown[name]?.(key, programs) ?? (textsOf(key, name).join(', ') || 'none')] as const,
  )

/** All settings except those shown elsewhere on the page. */
const reachNames = settingNames.filter(name => !['name', 'front_end', 'expires_at'].includes(name))

const Reach = ({ apiKey, offered }: OfKey & Pick<KeyProps, 'offered'>) => (
  <section class="card">
    <h2>Access</h2>
    <Facts facts={[['Permissions', allowedActions(apiKey)], ...settingFacts(reachNames, apiKey, offered.programs)]} />
  </section>
)

function Use({ apiKey, days }: OfKey & Pick<KeyProps, 'days'>) {
  const applications = days.reduce((sum, day) => sum + day.applications, 0)
  const pages = days.reduce((sum, day) => sum + day.pages, 0)
  const { disabled_at, disabled_by, retired_at, retired_by } = apiKey
  return (
    <section class="card">
      <h2>Usage</h2>
      <Facts
        facts={[
          retired_at === null
            ? ['Expires', <Expiry apiKey={apiKey} />]
            : ['Retired', <Maker at={retired_at} actor={retired_by} />],
          ['Last 30 days', `${counted(applications, 'application')} on ${counted(pages, 'page')}`],
          ['Last used', <LastUse at={apiKey.last_used_at} address={apiKey.last_used_address} />],
          ['Created', <Maker at={apiKey.created_at} actor={apiKey.created_by} />],
          ['Disabled', disabled_at === null ? undefined : <Maker at={disabled_at} actor={disabled_by} />],
        ]}
      />
    </section>
  )
}

/** How to submit with the key. The person inserts the password. */
function SubmitSamples({ apiKey, version }: OfKey & Pick<KeyProps, 'version'>) {
  const { baseUrl } = usePage()
  const [slug, username] = [apiKey.programs[0]!, apiKey.api_key_id]
  return (
    <section class="card" id="samples">
      <h2>Submit with this key</h2>
      <CodeTabs name="samples" tabs={[submitSample({ baseUrl, slug, username, password: 'PASSWORD', version })]} />
    </section>
  )
}

function ChangeForm({ apiKey, offered }: OfKey & Pick<KeyProps, 'offered'>) {
  const { form } = usePage()
  // A form shown again keeps its original basis until the person has seen the current values.
  const basis = (form.conflict !== undefined ? null : form.values.get('based_on')) ?? keyVersion(apiKey)
  return (
    <details class="card wide-form" open={form.values.size > 0}>
      <summary>Edit key</summary>
      <ActionForm action={pathOfKey(apiKey.api_key_id)}>
        <input type="hidden" name="based_on" value={basis} />
        <SettingFields {...offered} apiKey={apiKey} />
        <Submit text="Save" />
      </ActionForm>
    </details>
  )
}

const allowedActions = ({ may_export, may_annotate, may_submit, front_end }: ListedApiKey): string =>
  [may_export && 'export', may_annotate && 'set status and note', may_submit && `submit as ${front_end}`]
    .filter(Boolean)
    .join(', ')

/** By name; only the first of hundreds. */
function Programs({ slugs, all }: { slugs: readonly string[]; all: readonly NamedProgram[] }) {
  if (slugs.length > 8 && slugs.length === all.length) return <>all {figures(all.length)} programs</>
  return (
    <>
      {programNames(slugs.slice(0, 20), all).map(name => (
        <span class="line" dir="auto">
          {name}
        </span>
      ))}
      {slugs.length > 20 && <span class="line soft">and {figures(slugs.length - 20)} more</span>}
    </>
  )
}
