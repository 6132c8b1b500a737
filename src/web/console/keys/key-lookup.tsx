// Loads the key named in a URL for actions and pages, and shapes it for API responses.

/** @jsxImportSource preact */

import { type IssuedApiKey, keyVersion, type ListedApiKey, loadKey } from '../../../core/keys/api-keys.ts'
import { reasonTexts } from '../../../core/keys/test-access.ts'
import { readApiKeyDays } from '../../../db/keys/api-key-rows.ts'
import { type Refusal, readRefusalsOf } from '../../../db/keys/refusal-rows.ts'
import { readNamedQuestions } from '../../../db/programs/program-overviews.ts'
import { readPrograms } from '../../../db/programs/programs.ts'
import type { Deps } from '../../http/server/deps.ts'
import type { Shown } from '../requests/action.ts'
import { type ConsoleRequest, type PageRequest, redirect } from '../requests/console-request.ts'
import { expiryOf, ShownOnce } from '../requests/keyed-forms.ts'
import { hiddenBoxesMax } from './key-form-pages.tsx'
import { pathOfKey } from './key-labels.tsx'
import { EditKeyPage } from './key-page.tsx'

export const keyRoute = '/keys/:keyId'

export const tokenReach =
  'A token also needs applications:read for a key that can export, and applications:write for a key that can submit or set statuses.'

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

  find = (visit: ConsoleRequest): Promise<ListedApiKey> => loadKey(this.db, visit.params.keyId!, visit.now)

  programs = () => readPrograms(this.db)

  offered = async () => ({
    programs: await this.programs(),
    questions: await readNamedQuestions(this.db, hiddenBoxesMax + 1),
  })

  expiry = (given: string | undefined, { now }: ConsoleRequest) =>
    given === undefined ? undefined : expiryOf(given.trim(), now, this.config.timeZone)

  /** A key with its recent use and rejected requests. */
  details = async (visit: ConsoleRequest) => {
    const found = await this.find(visit)
    const [days, refusals] = await Promise.all([
      readApiKeyDays(this.db, 30, found.api_key_id),
      readRefusalsOf(this.db, found.api_key_id, 10),
    ])
    return { ...versioned(found), days, refusals: refusals.map(explained) }
  }

  page = async (visit: PageRequest) => {
    const details = await this.details(visit)
    return <EditKeyPage {...details} offered={await this.offered()} />
  }

  /** The page of a form. A retired or followed key can't be changed, so its own page is shown instead. */
  changeable =
    (page: (key: ListedApiKey) => Shown) =>
    async (visit: PageRequest): Promise<Shown> => {
      const found = await this.find(visit)
      return found.retired_at === null && !found.followed ? page(found) : redirect(visit, pathOfKey(found.api_key_id))
    }

  showSecret = (visit: PageRequest, { username, password }: { username: string; password: string }): Response =>
    this.secret.send(visit, `${pathOfKey(username)}/issued`, password)
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
