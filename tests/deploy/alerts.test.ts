// The alert rules of deploy/prometheus: each fires when it should and not when it should not, as promtool computes it.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'

const folder = join(import.meta.dir, '../../deploy/prometheus')
const { groups } = Bun.YAML.parse(await Bun.file(join(folder, 'alerts.yaml')).text()) as {
  groups: {
    rules: { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> }[]
  }[]
}
const rules = groups.flatMap(group => group.rules)

/** A series a minute, in promtool's notation: `0+1x60` grows by one, `5x60` stays. */
type Series = Record<string, string>

const service = '{job="tributary",instance="a"}'
const slow = (histogram: string, labels: string): Series => ({
  [`${histogram}_bucket{${labels},le="1"}`]: '0x60',
  [`${histogram}_bucket{${labels},le="5"}`]: '0+60x60',
  [`${histogram}_bucket{${labels},le="+Inf"}`]: '0+60x60',
})
const quick = (histogram: string, labels: string): Series => ({
  [`${histogram}_bucket{${labels},le="1"}`]: '0+60x60',
  [`${histogram}_bucket{${labels},le="5"}`]: '0+60x60',
  [`${histogram}_bucket{${labels},le="+Inf"}`]: '0+60x60',
})
/** Nothing, and then one more. */
const once = '0x40 1x20'
const never = '5x60'

/** For each alert: what it is to fire at, and what not, after an hour. */
const cases: Record<string, { fires: Series; quiet: Series }> = {
  TributaryDown: {
    fires: { [`up${service}`]: '1x50 0x10', 'up{job="other",instance="b"}': '0x60' },
    quiet: { [`up${service}`]: '1x58 0 1', 'up{job="other",instance="b"}': '0x60' },
  },
  TributaryDatabaseUnreachable: {
    fires: { 'tributary_build_info{instance="a"}': '1x60', 'tributary_workers{instance="a"}': '1x50' },
    quiet: { 'tributary_build_info{instance="a"}': '1x60', 'tributary_workers{instance="a"}': '0x60' },
  },
  TributaryNoWorker: {
    fires: { 'tributary_workers{instance="a"}': '1x40 0x20' },
    quiet: { 'tributary_workers{instance="a"}': '0x60', 'tributary_workers{instance="b"}': '1x60' },
  },
  TributaryServerErrors: {
    fires: { tributary_internal_errors_total: '0x55 1x5' },
    quiet: { tributary_internal_errors_total: once },
  },
  TributaryPagesFail: {
    fires: { 'tributary_pages_total{outcome="failed"}': '0x50 1x10' },
    quiet: {
      'tributary_pages_total{outcome="failed"}': never,
      'tributary_pages_total{outcome="client_gone"}': '0+1x60',
    },
  },
  TributaryUnavailable: {
    fires: { 'tributary_unavailable_total{reason="database"}': '0+6x60' },
    quiet: { 'tributary_unavailable_total{reason="database"}': '0+2x60' },
  },
  TributaryPoolWaits: {
    fires: slow('tributary_pool_wait_seconds', 'instance="a",pool="export"'),
    quiet: quick('tributary_pool_wait_seconds', 'instance="a",pool="export"'),
  },
  TributaryExportsWait: {
    fires: { 'tributary_exports_waiting{instance="a"}': '0x40 2x20' },
    quiet: { 'tributary_exports_waiting{instance="a"}': '2x55 0 2x4' },
  },
  TributaryReadersStall: {
    fires: { 'tributary_pages_total{outcome="stalled"}': '0+1x60' },
    quiet: { 'tributary_pages_total{outcome="stalled"}': '0x30 3x30' },
  },
  TributaryManyUnauthenticated: {
    fires: { 'tributary_unauthenticated_total{reason="unknown_key"}': '0+90x60' },
    quiet: { 'tributary_unauthenticated_total{reason="unknown_key"}': '0+30x60' },
  },
  TributaryKeyInPlainText: {
    fires: { 'tributary_unauthenticated_total{reason="plain_http"}': once },
    quiet: { 'tributary_unauthenticated_total{reason="plain_http"}': never },
  },
  TributaryExpiredKeyInUse: {
    fires: { 'tributary_unauthenticated_total{reason="expired"}': once },
    quiet: {
      'tributary_unauthenticated_total{reason="expired"}': never,
      'tributary_unauthenticated_total{reason="retired"}': once,
    },
  },
  TributaryKeysExpireSoon: {
    fires: { 'tributary_api_keys_expiring{within="7d"}': '1x62' },
    quiet: { 'tributary_api_keys_expiring{within="7d"}': '0x62', 'tributary_api_keys_expiring{within="30d"}': '3x62' },
  },
  TributaryRateLimited: {
    fires: { 'tributary_rate_limited_total{limit="exports_at_a_time"}': '0+12x60' },
    quiet: { 'tributary_rate_limited_total{limit="exports_at_a_time"}': '0+3x60' },
  },
  TributaryKeyLimitsApart: {
    fires: {
      'tributary_key_limits_apart{instance="a"}': '0x40 1x20',
      'tributary_key_limits_apart{instance="b"}': '0x60',
    },
    quiet: { 'tributary_key_limits_apart{instance="a"}': '0x50 2x5 0x5' },
  },
  TributaryWalkOfAnotherHistory: {
    fires: { 'tributary_walks_refused_total{reason="walk_of_another_history"}': once },
    quiet: { 'tributary_walks_refused_total{reason="walk_of_another_history"}': '0x60' },
  },
  TributaryDatabaseSetBack: {
    fires: { 'tributary_database_set_back_seconds{instance="a"}': '_x50 0+60x10' },
    quiet: { 'tributary_database_set_back_seconds{instance="a"}': '86400+60x60' },
  },
  TributaryBehindWalks: {
    fires: { 'tributary_walks_refused_total{reason="behind_walk"}': '0x20 0+1x40' },
    quiet: { 'tributary_walks_refused_total{reason="behind_walk"}': '0x20 4x40' },
  },
  TributaryReadsFallBack: {
    fires: {
      'tributary_read_address_cursors_total{instance="a",outcome="read"}': '0x60',
      'tributary_read_address_cursors_total{instance="a",outcome="behind"}': '0x30 0+1x30',
    },
    quiet: {
      'tributary_read_address_cursors_total{instance="a",outcome="read"}': '0+2x60',
      'tributary_read_address_cursors_total{instance="a",outcome="behind"}': '0+1x60',
    },
  },
  TributaryAuditUnwritten: {
    fires: { 'tributary_audit_entries_waiting{instance="a"}': '0x50 3x10' },
    quiet: { 'tributary_audit_entries_waiting{instance="a"}': '0x57 3x2 0' },
  },
  TributaryOutboxStuck: {
    fires: { tributary_outbox_oldest_seconds: '0+60x60' },
    quiet: { tributary_outbox_oldest_seconds: '0+2x60' },
  },
  TributaryDerivedLate: {
    fires: { tributary_derived_oldest_seconds: '0+60x60' },
    quiet: { tributary_derived_oldest_seconds: '0+10x60' },
  },
  TributaryDerivedFailed: {
    fires: { 'tributary_derived_unfinished{job="refresh-key-map",state="failed"}': '0x50 1x10' },
    quiet: { 'tributary_derived_unfinished{job="refresh-key-map",state="queued"}': '9x60' },
  },
  TributaryJobsFail: {
    fires: { 'tributary_job_seconds_count{job="refresh-key-map",outcome="failed"}': '0+1x60' },
    quiet: {
      'tributary_job_seconds_count{job="refresh-key-map",outcome="failed"}': '0x50 2x10',
      'tributary_job_seconds_count{job="refresh-key-map",outcome="done"}': '0+9x60',
    },
  },
  TributaryWebhooksFail: {
    fires: { 'tributary_webhook_endpoints{state="given_up"}': '1x120' },
    quiet: {
      'tributary_webhook_endpoints{state="working"}': '5x120',
      'tributary_webhook_endpoints{state="failing"}': '0x30 1x40 0x50',
    },
  },
  TributaryMaintenanceStuck: {
    // promtool's clock begins at 0.
    fires: {
      'tributary_maintenance_timestamp_seconds{task="relay",instance="a"}': '600x60',
      'tributary_maintenance_timestamp_seconds{task="sweep",instance="a"}': '0+60x60',
    },
    quiet: {
      'tributary_maintenance_timestamp_seconds{task="relay",instance="a"}': '0x60',
      'tributary_maintenance_timestamp_seconds{task="relay",instance="b"}': '0+60x60',
      'tributary_maintenance_timestamp_seconds{task="sweep",instance="a"}': '0x60',
    },
  },
  TributaryCiviFormBehind: {
    fires: { 'tributary_civiform_lag_seconds{none=""}': '0+20x60', 'tributary_civiform_copying{none=""}': '0x60' },
    quiet: { 'tributary_civiform_lag_seconds{none=""}': '0+20x60', 'tributary_civiform_copying{none=""}': '1x60' },
  },
  TributaryCiviFormUnreachable: {
    fires: { 'tributary_civiform_reached_seconds{none=""}': '0+60x60' },
    quiet: { 'tributary_civiform_reached_seconds{none=""}': '30x54 290 330 2x4' },
  },
  TributaryCiviFormNotCompared: {
    fires: { 'tributary_civiform_compared_seconds{none=""}': '260000+60x60' },
    quiet: { 'tributary_civiform_compared_seconds{none=""}': '80000+60x60' },
  },
  TributaryCiviFormFindings: {
    fires: {
      'tributary_civiform_findings{kind="unreadable"}': '1x60',
      'tributary_civiform_findings{kind="other"}': '0x60',
    },
    quiet: { 'tributary_civiform_findings{kind="unreadable"}': '0x30 2x20 0x10' },
  },
  TributaryCiviFormLateApplications: {
    fires: { 'tributary_civiform_late_applications{none=""}': once },
    quiet: { 'tributary_civiform_late_applications{none=""}': '3x61' },
  },
  TributaryCiviFormClockAhead: {
    fires: {
      'tributary_civiform_ahead_seconds{none=""}': '0x40 30 0x19',
      'tributary_civiform_ahead_seconds{none="b"}': '0x55 3600x5',
    },
    quiet: { 'tributary_civiform_ahead_seconds{none=""}': '60x30 0x30' },
  },
  TributaryCiviFormRolledBack: {
    fires: { 'tributary_civiform_rollbacks{none=""}': once },
    quiet: { 'tributary_civiform_rollbacks{none=""}': '1x61' },
  },
  TributaryEventLoopLate: {
    fires: slow('tributary_event_loop_delay_seconds', 'instance="a"'),
    quiet: quick('tributary_event_loop_delay_seconds', 'instance="a"'),
  },
  TributaryDescriptors: {
    fires: { [`process_open_fds${service}`]: '900x60', [`process_max_fds${service}`]: '1024x60' },
    quiet: { [`process_open_fds${service}`]: '500x60', [`process_max_fds${service}`]: '1024x60' },
  },
  TributaryMixedVersions: {
    fires: {
      'tributary_build_info{version="1",commit="x",instance="a"}': '1x62',
      'tributary_build_info{version="2",commit="y",instance="b"}': '1x62',
    },
    quiet: {
      'tributary_build_info{version="1",commit="x",instance="a"}': '1x62',
      'tributary_build_info{version="1",commit="x",instance="b"}': '1x62',
    },
  },
}

test('each alert has a test case', () => {
  expect(Object.keys(cases).sort()).toEqual(rules.map(rule => rule.alert).sort())
})

test('each alert has a severity, a summary and a link to its runbook', () => {
  for (const { alert, labels, annotations } of rules) {
    expect(['page', 'warn']).toContain(labels.severity)
    expect(annotations.summary!.length).toBeGreaterThan(10)
    expect(annotations.runbook).toBe(`deploy/OPERATIONS.md#${alert.toLowerCase()}`)
  }
})

test.skipIf(!needs('promtool'))(
  'each alert fires once for its condition, and stays quiet for similar ones',
  async () => {
    const scratch = await useFolder()
    const series = (values: Series) => Object.entries(values).map(([name, value]) => ({ series: name, values: value }))
    // Each alert in a file of its own: promtool computes all rules of a file for every case.
    const files = rules.map(async rule => {
      const { fires, quiet } = cases[rule.alert]!
      const tests = [fires, quiet].map((values, i) => ({
        name: `${rule.alert} ${i === 0 ? 'fires' : 'is quiet'}`,
        interval: '1m',
        input_series: series(values),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${rule.alert}",alertstate="firing"}) or vector(0)`,
            eval_time: '1h1m',
            exp_samples: [{ labels: '{}', value: i === 0 ? 1 : 0 }],
          },
        ],
      }))
      const rule_file = join(scratch, `${rule.alert}.json`)
      await Bun.write(rule_file, JSON.stringify({ groups: [{ name: 'one', rules: [rule] }] }))
      const file = join(scratch, `${rule.alert}-test.json`)
      await Bun.write(file, JSON.stringify({ rule_files: [rule_file], evaluation_interval: '1m', tests }))
      return file
    })
    const ran = Bun.spawnSync(['promtool', 'test', 'rules', ...(await Promise.all(files))])
    expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, ''])
    const checked = Bun.spawnSync(['promtool', 'check', 'rules', join(folder, 'alerts.yaml')])
    expect([checked.exitCode, checked.stderr.toString()]).toEqual([0, ''])
  },
)
