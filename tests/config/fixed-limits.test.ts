// "Every limit has a name, a unit and a line in the documentation": what a caller can meet is in SETTINGS.md, with the value of the source.

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
/** Where requests, documents and what people enter are refused. */
const rooms = [
  'config',
  'web/http',
  'web/apply',
  'core/intake',
  'core/keys',
  'core/webhooks',
  'core/applications',
  'core/files',
  'core/export',
  'core/people',
  'core/load',
  'domain/values',
  'domain/definitions',
  'domain/imports',
]

/** How much is looked at, kept, listed or tried at a time. Nothing that a caller sends is refused for it. */
const internal = [
  'web/http/server/request-record: pathLengthMax',
  'web/http/headers/accepted-languages: languagesMax',
  'web/http/applications/read-applications: revisionsMax',
  'web/http/applications/read-applications: stepsMax',
  'core/intake/checking/nearest-key: lengthMax',
  'core/intake/submit: attemptsMax',
  'core/intake/pause-intake: retrySecondsMax',
  'core/intake/answers-in-progress: keptDepthMax',
  'core/keys/key-source: readSubnetsMax',
  'core/keys/refusal-notes: waitingMax',
  'core/keys/refusal-notes: keptMax',
  'core/applications/erase: expiredMax',
  'core/export/changes/change-feed: sameNumberMax',
  'core/export/requests/sent-query: unknownNamesMax',
  'core/export/requests/sent-query: nameLengthMax',
  'core/export/requests/page-token: furtherNumbersMax',
  'core/export/requests/walk-receipt: erasedMax',
  'core/export/pages/export-audit-log: linesOfUnlimitedMax',
  'core/people/admin-tokens: listedMax',
  'core/people/password-queue: failedMax',
  'core/people/password-queue: ofOneClientMax',
  'core/people/password-queue: runningMax',
  'core/people/password-queue: waitMsMax',
  'core/people/password-queue: waitingMax',
  'core/export/pages/page-limits: reopensMax',
  'core/load/reading/document-errors: errorsMax',
  'core/load/reading/document-errors: pathLengthMax',
  'core/load/checking/load-errors: listedMax',
  'core/load/checking/check-load: lookedForMax',
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

test('each limit that callers can reach is in SETTINGS.md with its value, and all others are listed as internal', async () => {
  const text = await Bun.file(join(root, 'deploy/SETTINGS.md')).text()
  const documented = [...text.matchAll(/^\| .+ \| ([\d,]+) \| `([\w/-]+: \w+)` \|$/gm)].map(
    ([, value, name]): [string, number] => [name!, Number(value!.replaceAll(',', ''))],
  )
  const limits = await limitsInSource()
  for (const name of internal) expect([name, limits.delete(name)]).toEqual([name, true])
  expect(documented.length).toBeGreaterThan(30)
  expect(new Map(documented.sort())).toEqual(new Map([...limits].sort()))
})
