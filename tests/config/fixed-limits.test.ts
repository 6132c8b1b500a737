// "Every limit has a name, a unit and a line in the documentation": what a caller can meet is in SETTINGS.md, with the value of the source.

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
/** Where requests, documents and what people enter are refused. */
const rooms = [
  'config',
  'http',
  'intake',
  'keys',
  'webhooks',
  'upkeep',
  'export',
  'people',
  'load',
  'domain/values',
  'domain/definitions',
]

/** How much is looked at, kept, listed or tried at a time. Nothing that a caller sends is refused for it. */
const internal = [
  'http/server/request-record: pathLengthMax',
  'http/applications/read-applications: revisionsMax',
  'http/applications/read-applications: stepsMax',
  'intake/checking/nearest-key: lengthMax',
  'intake/submit: attemptsMax',
  'intake/pause-intake: retrySecondsMax',
  'intake/answers-in-progress: keptDepthMax',
  'keys/key-source: readSubnetsMax',
  'keys/refusal-notes: waitingMax',
  'keys/refusal-notes: keptMax',
  'upkeep/erase: expiredMax',
  'export/changes/change-feed: sameNumberMax',
  'export/requests/sent-query: unknownNamesMax',
  'export/requests/sent-query: nameLengthMax',
  'export/requests/walk-receipt: erasedMax',
  'export/pages/export-audit-log: linesOfUnlimitedMax',
  'people/admin-tokens: listedMax',
  'people/password-queue: failedMax',
  'people/password-queue: ofOneClientMax',
  'people/password-queue: runningMax',
  'people/password-queue: waitMsMax',
  'people/password-queue: waitingMax',
  'export/pages/page-limits: reopensMax',
  'load/reading/document-errors: errorsMax',
  'load/reading/document-errors: pathLengthMax',
  'load/checking/load-errors: listedMax',
  'load/checking/check-load: lookedForMax',
  'domain/values/exact-number: digitsMax',
  'domain/values/offset-time: periodsMax',
  'domain/values/offset-time: zonesMax',
  'domain/values/ip-address: textLengthMax',
]

/** The value of each limit, by file and name. */
async function limitsInSource(): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const room of rooms)
    for (const path of new Bun.Glob(`${room}/**/*.ts`).scanSync({ cwd: join(root, 'src') })) {
      const text = await Bun.file(join(root, 'src', path)).text()
      for (const [, named, setAs, value] of text.matchAll(
        /^(?:(?:export )?const (\w+Max) =| {2}(\w+Max):) ([\d_]+(?: \* [\d_]+)*),?$/gm,
      ))
        found.set(
          `${path.replace(/\.ts$/, '')}: ${named ?? setAs}`,
          value!.split(' * ').reduce((product, factor) => product * Number(factor.replaceAll('_', '')), 1),
        )
    }
  return found
}

test('each limit that a caller can meet is in SETTINGS.md with its value; every other is known to be internal', async () => {
  const text = await Bun.file(join(root, 'deploy/SETTINGS.md')).text()
  const documented = [...text.matchAll(/^\| .+ \| ([\d,]+) \| `([\w/-]+: \w+)` \|$/gm)].map(
    ([, value, name]): [string, number] => [name!, Number(value!.replaceAll(',', ''))],
  )
  const limits = await limitsInSource()
  for (const name of internal) expect([name, limits.delete(name)]).toEqual([name, true])
  expect(documented.length).toBeGreaterThan(30)
  expect(new Map(documented.sort())).toEqual(new Map([...limits].sort()))
})
