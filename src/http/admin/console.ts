// The console: all of its doors. A part of it is one file of doors and one line here, and its line in the shell's navigation.

import { Elysia } from 'elysia'
import { Problem } from '../../problem.ts'
import type { Deps } from '../deps.ts'
import { navigation } from '../shell/navigation.ts'
import { shellAssets } from '../shell/shell-assets.ts'
import { adminApi } from './api/admin-api.ts'
import { applicationDoors } from './applications/application-doors.ts'
import { auditDoors } from './audit/audit-doors.ts'
import { type ConsoleDoor, editingDoors, type GuardedDoor, redirect } from './console-doors.ts'
import { consoleRoutes } from './console-routes.ts'
import { intermediaryDoors } from './intermediaries/intermediary-doors.ts'
import { jobDoors } from './jobs/job-doors.ts'
import { keyDoors } from './keys/key-doors.ts'
import { peopleDoors } from './people/people-doors.ts'
import { documentDoors } from './programs/document-doors.ts'
import { programDoors } from './programs/program-doors.ts'
import { publishDoors } from './programs/publish-doors.ts'
import { questionFormDoors } from './programs/question-form-doors.ts'
import { screenFormDoors } from './programs/screen-form-doors.ts'
import { settingsDoors } from './settings/settings-doors.ts'
import { signInDoors } from './signing-in/sign-in-doors.ts'
import { tokenDoors } from './tokens/token-doors.ts'

/** Every door of the console, for the routes and for the test that tries each with each role. */
export const consoleDoors = (deps: Deps): ConsoleDoor[] => [
  home,
  ...signInDoors(deps),
  ...tokenDoors(deps),
  ...programDoors(deps),
  ...editingDoors(documentDoors(deps)),
  ...editingDoors(publishDoors(deps)),
  ...editingDoors(questionFormDoors(deps)),
  ...editingDoors(screenFormDoors(deps)),
  ...keyDoors(deps),
  ...applicationDoors(deps),
  ...intermediaryDoors(deps),
  ...peopleDoors(deps),
  ...jobDoors(deps),
  ...auditDoors(deps),
  ...settingsDoors(deps),
  nothing,
]

/** Every unknown address below /admin is answered with a page, not with the document that programs get. */
const nothing: ConsoleDoor = {
  method: 'GET',
  path: '/admin/*',
  roles: 'anyone',
  answer: () => {
    throw new Problem('not_found', { detail: 'There is no page at this address.' })
  },
}

/** The first part that a role may open. */
const home: GuardedDoor = {
  method: 'GET',
  path: '/admin',
  roles: ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR'],
  answer: visit => {
    const entries = navigation.flatMap(({ entries }) => entries)
    const first = entries.find(({ roles }) => roles.includes(visit.person.role))
    return redirect(visit, first?.path ?? '/admin/account')
  },
}

export const adminConsole = (deps: Deps) =>
  new Elysia({ name: 'admin-console' })
    .use(shellAssets())
    .use(adminApi(deps))
    .use(consoleRoutes(deps, consoleDoors(deps)))
