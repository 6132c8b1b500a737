// Shows the configuration: each setting with its value, source and meaning. Groups can be folded; a search opens those with matches.

/** @jsxImportSource preact */

import type { ShownSetting } from '../../../config/shown-settings.ts'
import { Badge, counted, figures, Table, Tabs, Words } from '../../html/components.tsx'
import { SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'

const path = '/admin/settings'

const isSet = ({ source }: ShownSetting): boolean => source === 'environment'

export function SettingsPage({ settings }: { settings: readonly ShownSetting[] }) {
  const { query } = usePage()
  /** Only settings from the environment. */
  const given = query.get('show') === 'set'
  const set = settings.filter(isSet)
  const word = (query.get('q') ?? '').trim().toLowerCase()
  const shown = (given ? set : settings).filter(({ name, group, meaning }) =>
    `${name} ${group} ${meaning}`.toLowerCase().includes(word),
  )
  const groups = [...new Set(shown.map(({ group }) => group))]
  return (
    <Shell title="Settings" part="settings" lead="Settings you can change here, and the server’s configuration.">
      <SettingsTabs current={given ? 'set' : 'all'} all={settings.length} set={set.length} />
      <section class="card" aria-labelledby="here">
        <h2 id="here">Editable settings</h2>
        <p>
          <a href={`${path}/retention`}>Retention periods of programs</a>
        </p>
        <p class="soft">
          All other settings are environment variables, read when the service starts. To change one, set it in the
          service’s environment and restart the service. Secrets are never shown.
        </p>
      </section>
      <SearchForm path={path} label="Find a setting" hint="Name or meaning">
        {given && <input type="hidden" name="show" value="set" />}
      </SearchForm>
      {shown.length === 0 && (
        <div class="card empty">
          {word === '' ? 'No settings have been changed from their defaults.' : 'No settings match.'}{' '}
          <a href={path}>Show all settings</a>
        </div>
      )}
      {groups.map(group => (
        <Group name={group} settings={shown.filter(setting => setting.group === group)} open={given || word !== ''} />
      ))}
    </Shell>
  )
}

function Group({ name, settings, open }: { name: string; settings: readonly ShownSetting[]; open: boolean }) {
  const set = settings.filter(isSet).length
  return (
    <details class="card settings" open={open}>
      <summary>
        <h2>{name}</h2>{' '}
        <span class="soft">
          {counted(settings.length, 'setting')}
          {set > 0 && `, ${figures(set)} set`}
        </span>
      </summary>
      <Table
        caption={name}
        rows={settings}
        empty=""
        columns={[
          { head: 'Setting', cell: ({ name }) => <code class="strong">{name}</code> },
          {
            head: 'Value',
            cell: ({ value }) => (value === '' ? <span class="soft">none</span> : <code>{value}</code>),
          },
          {
            head: 'Source',
            cell: setting =>
              isSet(setting) ? <Badge tone="info">environment</Badge> : <span class="soft">default</span>,
          },
          { head: 'Meaning', cell: ({ meaning }) => <Words>{meaning}</Words> },
        ]}
      />
    </details>
  )
}

export function SettingsTabs({
  current,
  all,
  set,
}: {
  current: 'all' | 'set' | 'retention'
  all?: number
  set?: number
}) {
  return (
    <Tabs
      label="Settings"
      tabs={[
        { text: 'All', path, count: all, current: current === 'all' },
        { text: 'Set in the environment', path: `${path}?show=set`, count: set, current: current === 'set' },
        { text: 'Retention', path: `${path}/retention`, current: current === 'retention' },
      ]}
    />
  )
}
