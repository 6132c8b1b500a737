// Loads the key named in a URL for actions and pages, and shapes it for API responses.

/** @jsxImportSource preact */

import { type IssuedApiKey, keyVersion, loadKey } from '../../../core/keys/api-keys.ts'
import { requestDays } from '../../../core/keys/request-counts.ts'
import { reasonTexts } from '../../../core/keys/test-access.ts'
import { readKeyExports } from '../../../db/audit/key-exports.ts'
import { readApiKeyDays, readFrontEnds } from '../../../db/keys/api-key-rows.ts'
import { readKeyRequestDays } from '../../../db/keys/key-request-days.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import { type Refusal, readRefusalsOf } from '../../../db/keys/refusal-rows.ts'
import { readNamedQuestions } from '../../../db/programs/program-overviews.ts'
import { findActiveVersion, findProgram, readPrograms } from '../../../db/programs/programs.ts'
import { lastDays, timesOfDay } from '../../../domain/values/calendar-days.ts'
import type { Deps } from '../../http/server/deps.ts'
import type { Shown } from '../requests/action.ts'
import { type ConsoleRequest, type PageRequest, redirect } from '../requests/console-request.ts'
import { expiryOf, ShownOnce } from '../requests/keyed-forms.ts'
import { dayShown } from './key-activity.tsx'
import { hiddenBoxesMax } from './key-form-pages.tsx'
import { pathOfKey } from './key-labels.tsx'
import { EditKeyPage } from './key-page.tsx'

export const keyRoute = '/keys/:keyId'

export const tokenReach =
  'A token also needs applications:read for a key that can export, and applications:write for a key that can submit or set statuses.'

/** Exports on the page of a key, and the audit entries in which they are searched. */
const [exportsShown, eventsMax] = [20, 1000]
const frontEndsMax = 100

/** Loads keys by the ID in the URL. */
export class Keys {
  readonly db: Deps['consoleDb']
  readonly config: Deps['config']
  readonly secret: ShownOnce

  constructor({ consoleDb, config }: Deps) {
    this.db = consoleDb
    this.config = config
    this.secret = new ShownOnce('issued', config)
  }

  find = (request: ConsoleRequest): Promise<ListedApiKey> => loadKey(this.db, request.params.keyId!, request.now)

  programs = () => readPrograms(this.db)

  offered = async ({ address }: ConsoleRequest) => ({
    address,
    programs: await this.programs(),
    questions: await readNamedQuestions(this.db, hiddenBoxesMax + 1),
    frontEnds: await readFrontEnds(this.db, frontEndsMax),
  })

  expiry = (given: string | undefined, { now, context }: ConsoleRequest) =>
    given === undefined ? undefined : expiryOf(given.trim(), now, context.timeZone)

  /** A key with its recent use and rejected requests. */
  details = async (request: ConsoleRequest) => {
    const found = await this.find(request)
    const { timeZone } = this.config
    const day = dayShown(request.url.searchParams)
    const [since = ''] = lastDays(request.now, timeZone, requestDays)
    const [days, requests, exports, refusals] = await Promise.all([
      readApiKeyDays(this.db, requestDays, [found.api_key_id]),
      readKeyRequestDays(this.db, found.api_key_id, since),
      readKeyExports(this.db, found.api_key_id, { timeZone, eventsMax, rowsMax: exportsShown }),
      readRefusalsOf(this.db, found.api_key_id, 10, day === undefined ? {} : timesOfDay(day, timeZone)),
    ])
    return { ...versioned(found), days, requests, exports, refusals: refusals.map(explained) }
  }

  /** The published version of a key's first program, for samples. */
  sampleVersion = async ({ programs }: ListedApiKey) => {
    const program = await findProgram(this.db, programs[0] ?? '')
    return program && findActiveVersion(this.db, program.program_id)
  }

  page = async (request: PageRequest) => {
    const details = await this.details(request)
    const version = details.may_submit ? await this.sampleVersion(details) : undefined
    return <EditKeyPage {...details} offered={await this.offered(request)} version={version} />
  }

  /** The page of a form. A retired or followed key can't be changed, so its own page is shown instead. */
  changeable =
    (page: (key: ListedApiKey) => Shown) =>
    async (request: PageRequest): Promise<Shown> => {
      const found = await this.find(request)
      return found.retired_at === null && !found.followed ? page(found) : redirect(request, pathOfKey(found.api_key_id))
    }

  showSecret = (request: PageRequest, { username, password }: { username: string; password: string }): Response =>
    this.secret.send(request, `${pathOfKey(username)}/issued`, password)
}

export const versioned = (key: ListedApiKey) => ({ ...key, version: keyVersion(key) })

export const issued = ({ key, username, password, apiSecretToken }: IssuedApiKey) => ({
  ...versioned(key),
  username,
  password,
  api_secret_token: apiSecretToken,
})

export const explained = (refusal: Refusal) => ({
  ...refusal,
  detail: Object.hasOwn(reasonTexts, refusal.reason) ? reasonTexts[refusal.reason as keyof typeof reasonTexts] : '',
})
