// All deeds of the console's API. A new deed is a line in the file of its part; OpenAPI is made of these lines.

import type { Deps } from '../../deps.ts'
import { type ApiDeed, apiRoutes } from './api-deeds.ts'
import { applicationDeeds } from './application-deeds.ts'
import { intermediaryDeeds } from './intermediary-deeds.ts'
import { keyDeeds } from './key-deeds.ts'
import { peopleDeeds } from './people-deeds.ts'
import { programDeeds } from './program-deeds.ts'
import { settingsDeeds } from './settings-deeds.ts'
import { watchingDeeds } from './watching-deeds.ts'

/** Every deed, for the routes and for the test that tries each with each role and scope. */
export const apiDeeds = (deps: Deps): ApiDeed[] => [
  ...settingsDeeds(deps),
  ...keyDeeds(deps),
  ...programDeeds(deps),
  ...applicationDeeds(deps),
  ...watchingDeeds(deps),
  ...intermediaryDeeds(deps),
  ...peopleDeeds(deps),
]

export const adminApi = (deps: Deps) => apiRoutes(deps, apiDeeds(deps))
