// The console: all of its parts. A part is a list of actions and pages, with a line here and one in the navigation.

import { Elysia } from 'elysia'
import { Problem } from '../../base/problem.ts'
import { shellAssets } from '../html/shell-assets.ts'
import type { Deps } from '../http/server/deps.ts'
import { applicationActions } from './applications/application-actions.tsx'
import { auditActions } from './audit/audit-actions.tsx'
import { clientCodeActions } from './clients/client-code.tsx'
import { downloadPages } from './downloads/download-actions.tsx'
import { editingActions } from './drafts/editing-actions.tsx'
import { previewPages } from './drafts/preview.tsx'
import { programSettings } from './drafts/program-settings.tsx'
import { filePage } from './files/file-page.ts'
import { homePage } from './home/home-page.tsx'
import { importActions } from './imports/import-actions.tsx'
import { translationPages } from './imports/translation-actions.tsx'
import { intermediaryActions } from './intermediaries/intermediary-actions.tsx'
import { jobActions } from './jobs/job-actions.tsx'
import { jsonApi } from './json-api.ts'
import { keyActions } from './keys/key-actions.tsx'
import { pageRoutes } from './page-routes.tsx'
import { peopleActions } from './people/people-actions.tsx'
import { bankActions } from './programs/bank-actions.tsx'
import { documentActions } from './programs/document-actions.tsx'
import { programActions } from './programs/program-actions.tsx'
import { publishActions } from './programs/publish-actions.tsx'
import { publishForms } from './programs/publish-forms.tsx'
import type { Action, PageRoute, Part } from './requests/action.ts'
import { searchPage } from './search/search-page.tsx'
import { settingsActions } from './settings/settings-actions.tsx'
import { signInRoutes } from './signing-in/sign-in-routes.tsx'
import { tokenActions } from './tokens/token-actions.tsx'
import { webhookActions } from './webhooks/webhook-actions.tsx'

const parts = (deps: Deps): Part => [
  homePage(deps),
  searchPage(deps),
  ...signInRoutes(deps),
  ...tokenActions(deps),
  ...settingsActions(deps),
  ...keyActions(deps),
  ...programActions(deps),
  ...documentActions(deps),
  ...importActions(deps),
  ...translationPages(deps),
  ...publishActions(deps),
  ...publishForms(deps),
  ...bankActions(deps),
  ...editingActions(deps),
  ...previewPages(deps),
  ...programSettings(deps),
  ...downloadPages(deps),
  ...applicationActions(deps),
  ...clientCodeActions(deps),
  filePage(deps),
  ...webhookActions(deps),
  ...jobActions(deps),
  ...auditActions(deps),
  ...intermediaryActions(deps),
  ...peopleActions(deps),
  nothing,
]

const isAction = (part: Action | PageRoute): part is Action => 'run' in part

/** Every action, for the API and for the test that tries each with each role and scope. */
export const consoleActions = (deps: Deps): Action[] => parts(deps).filter(isAction)

/** The route of every page, for the console and for the test that tries each with each role. */
export const consolePages = (deps: Deps): PageRoute[] =>
  parts(deps).flatMap((part): readonly PageRoute[] => (isAction(part) ? part.routes : [part]))

/** Every unknown address below /admin gets an error page instead of the problem document for programs. */
const nothing: PageRoute = {
  method: 'GET',
  path: '/admin/*',
  roles: 'anyone',
  answer: () => {
    throw new Problem('not_found', { detail: 'Check the address, or start from the home page.' })
  },
}

export const adminConsole = (deps: Deps) =>
  new Elysia({ name: 'admin-console' })
    .use(shellAssets())
    .use(jsonApi(deps, consoleActions(deps)))
    .use(pageRoutes(deps, consolePages(deps)))
