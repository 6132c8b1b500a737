// Small faults that no test noticed at first. Each is tried again by `scripts/mutants`, so that it stays noticed.

import type { Mutant } from './mutant.ts'

const credentials = ['tests/access']
const config = ['tests/config']
const processes = ['tests/main', 'tests/workers/main.test.ts']
const walks = [
  'tests/export/write-page.test.ts',
  'tests/export/refused-cursor.test.ts',
  'tests/http/export-applications',
]

/** By id: what is replaced, by what, and, where no test can notice, why. */
type Faults = Readonly<Record<string, readonly [find: string, replace: string, equivalent?: string]>>

const inFile = (file: string, tests: readonly string[], faults: Faults): Mutant[] =>
  Object.entries(faults).map(([id, [find, replace, equivalent]]) => ({ id, file, tests, find, replace, equivalent }))

export const knownMutants: readonly Mutant[] = [
  ...inFile('src/access/credential.ts', credentials, {
    a01: [
      'const equal = timingSafeEqual(hash, storedHash ?? nobodysHash)',
      'const equal = hash.equals(storedHash ?? nobodysHash)',
    ],
    a02: [
      'const equal = timingSafeEqual(hash, storedHash ?? nobodysHash)',
      'if (storedHash === undefined) return false\n  const equal = timingSafeEqual(hash, storedHash ?? nobodysHash)',
    ],
  }),
  ...inFile('src/domain/values/ip-address.ts', ['tests/access', 'tests/domain/values'], {
    a16: [
      'if (text.length > textLengthMax) return undefined',
      '',
      'a bound on cost alone: what is longer is no address to the parser either',
    ],
    a17: ['if (prefixBits < 0 || prefixBits > bits)', 'if (prefixBits > bits)'],
    a18: ["['127.0.0.0/8', '::1/128']", "['127.0.0.0/8', '::/0']"],
  }),
  ...inFile('src/db/program-versions.ts', ['tests/programs', 'tests/db'], {
    b01: ["select max(earlier.published_at) + interval '1 microsecond'", 'select max(earlier.published_at)'],
  }),
  ...inFile('src/programs/publish.ts', ['tests/programs'], {
    b03: [
      'await lockQuestionBank(tx)\n    if (await isFollowing(tx)) throw editedThere()\n    const program = await findProgram(tx, slug)\n    const draft =',
      'const program = await findProgram(tx, slug)\n    const draft =',
    ],
  }),
  ...inFile('src/config/page-settings.ts', config, {
    c01: ['if (text.length < 32 || new Set(text).size < 8)', 'if (text.length < 16 || new Set(text).size < 8)'],
    n12: ["if (new Set(keys.map(key => key.toString('hex'))).size !== keys.length)", 'if (false)'],
    n13: ['/change.?me|example|default|pepper|secret|password/i', '/change.?me/i'],
  }),
  ...inFile('src/config/connection-settings.ts', config, {
    c04: ["duration('100ms', '5m')", "duration('0ms', '5m')"],
  }),
  ...inFile('src/config/setting-kinds.ts', config, {
    c06: [
      'if (!(value >= parseDuration(min)! && value <= parseDuration(max)!))',
      'if (!(value >= parseDuration(min)!))',
    ],
    c09: ["url.hash !== '' ||\n    url.username !== ''", "url.hash !== ''"],
  }),
  ...inFile('src/config/limit-settings.ts', config, {
    c08: ['wholeNumber(1024, 67_108_864)', 'wholeNumber(0, 999_999_999_999)'],
  }),
  ...inFile('src/domain/values/offset-time.ts', ['tests/domain/values'], {
    d09: [
      'if (periods.length > periodsMax) periods.pop()',
      '',
      'a bound on memory alone: a period that was dropped is computed again',
    ],
  }),
  ...inFile('src/http/docs/docs-response.ts', ['tests/http/api-docs'], {
    e03: [
      "const common = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }",
      "const common = { 'Cache-Control': 'no-store' }",
    ],
  }),
  ...inFile('src/db/client.ts', ['tests/db'], {
    f04: ['if (!Number.isSafeInteger(value)) throw', 'if (false) throw'],
  }),
  ...inFile('src/http/stream-response.ts', ['tests/http'], {
    h03: [
      "if (signal.aborted) this.leave()\n    else signal.addEventListener('abort'",
      "signal.addEventListener('abort'",
    ],
  }),
  ...inFile(
    'src/http/compressed-sink.ts',
    ['tests/http/compressed-sink.test.ts', 'tests/http/export-applications/encoded.test.ts'],
    {
      h06: ['if (encoded.length > 0 && !(await this.client.write(', 'if (!(await this.client.write('],
    },
  ),
  ...inFile('src/log.ts', ['tests/log.test.ts'], {
    h11: ["const secretNames = new Set(['authorization', 'password',", "const secretNames = new Set(['password',"],
  }),
  ...inFile('src/intake/prepare-submission.ts', ['tests/intake', 'tests/upkeep'], {
    i02: ['if (earlier?.submitted == null)', 'if (false)'],
  }),
  ...inFile('src/domain/questions/visibility.ts', ['tests/domain/questions/visibility.test.ts'], {
    j06: [
      "if (typeof value !== typeof field || typeof value === 'object') return false",
      "if (typeof value === 'object') return false",
    ],
  }),
  ...inFile('src/domain/questions/drop-hidden.ts', ['tests/domain', 'tests/intake'], {
    j07: ['if (!conditions.every(condition', 'if (!conditions.some(condition'],
  }),
  ...inFile('src/derived/program-key-map.ts', ['tests/derived', 'tests/http/export-applications'], {
    k14: ['if ((published.at(-1)?.published_at ?? earliest) === asOf) return published', 'return published'],
  }),
  ...inFile('src/export/export-trail.ts', ['tests/http/export-applications'], {
    n05: ['applications_before: walk.applications', 'applications_before: 0'],
  }),
  ...inFile('src/intake/bounded-wait.ts', ['tests/intake', 'tests/http/intake'], {
    n07: ["['55P03', '40P01', '40001', '57014']", "['55P03', '40001', '57014']"],
  }),
  ...inFile('src/db/client.ts', ['tests/db', 'tests/http'], {
    n14: ['|57P0[1-5]|08\\w{3}|53300)', '|57P0[1-5]|08\\w{3})'],
  }),
  ...inFile('src/intake/prepare-submission.ts', ['tests/intake', 'tests/http/intake/walk-through.test.ts'], {
    n15: [
      '.update(JSON.stringify([applicant_id, submitter_type, ...intermediary]))',
      ".update([applicant_id, submitter_type, ...intermediary].join(','))",
    ],
  }),
  ...inFile('src/export/page-outlet.ts', ['tests/export', ...walks], {
    o01: ['if (next !== undefined) next.sinceMs = performance.now()', ''],
    o02: ['if (this.gone) {\n      this.buffers.give(packed.buffer)\n      return\n    }', ''],
  }),
  ...inFile('src/export/page-buffers.ts', ['tests/export'], {
    o03: ['if (buffer.length !== this.bytes) return', ''],
    o04: ['if (this.#spare.length < this.keptMax) this.#spare.push(buffer)', 'this.#spare.push(buffer)'],
  }),
  ...inFile('src/export/pack-page.ts', walks, {
    p02: [
      'this.#place = this.outlet.handed.position\n    this.#more = false',
      'this.#place = this.outlet.handed.position',
    ],
  }),
  ...inFile('src/export/write-page.ts', walks, {
    p04: ["|| code === '40001' ||", '||'],
    p05: ["(code === '57014' && progressed)", "code === '57014'"],
    p11: ['await Bun.sleep(limits.reopenPauseMs * 2 ** (reopens - 1))', ''],
  }),
  ...inFile('src/http/query-string.ts', ['tests/export', 'tests/http/export-applications/400.test.ts'], {
    q05: ['const queryLengthMax = 8192', 'const queryLengthMax = 81920'],
  }),
  ...inFile('src/export/page-token.ts', ['tests/export/page-token.test.ts'], {
    t08: ['if (!/^[0-9a-f]{16}$/.test(token.walkId)) throw', 'if (false) throw'],
  }),
  ...inFile('src/access/key-use.ts', [...credentials, 'tests/http/check-auth'], {
    u02: ['if (!(await markApiKeyExposed(tx, apiKeyId, now))) return', 'await markApiKeyExposed(tx, apiKeyId, now)'],
  }),
  ...inFile('src/derived/program-key-map.ts', ['tests/derived'], {
    v04: ['if (kept.size > max && oldest !== undefined) kept.delete(oldest)', ''],
  }),
  ...inFile('src/queue/relay.ts', ['tests/queue'], {
    x02: ['if (moved === batchJobs) continue', ''],
    x03: ['call.forget()\n', '\n'],
  }),
  ...inFile('src/queue/work.ts', ['tests/queue'], {
    x07: ['await Promise.all(noting)', ''],
  }),
  ...inFile('src/db/derived-status.ts', ['tests/queue', 'tests/db', 'tests/derived'], {
    x10: [
      "attempts = case when derived_status.state in ('queued', 'running') then derived_status.attempts else 0 end,",
      '',
    ],
  }),
  ...inFile('workers/chores.ts', processes, {
    y03: ['    if (busy) return', '    if (!busy) return'],
  }),
  ...inFile('src/derived/sweep.ts', ['tests/derived', 'tests/queue', 'tests/workers'], {
    y06: ['const overdueMs = 5 * 60_000', 'const overdueMs = 500 * 60_000'],
  }),
  ...inFile('workers/main.ts', processes, {
    y07: [
      "log.warn({ err: error }, 'the queue cannot be opened yet')\n      await Bun.sleep(queueRetryMs)",
      'throw error',
    ],
  }),
  ...inFile('src/service.ts', processes, {
    z01: ['ready: !draining && (await isReachable(db)),', 'ready: await isReachable(db),'],
    z04: ['await closePools([db])', ''],
    z09: ['await trail.finish(Math.max(endMs - performance.now(), closeMs))', ''],
    z05: ["const exportDb = openPool('export', exportName, config.exportConnections)", 'const exportDb = db'],
    z06: ['statementTimeoutMs: way.pooled ? 0 : config.statementTimeoutMs,', ''],
    z07: ['idleTimeout: 0,', ''],
  }),
]
