// The navigation: the parts of the console, their paths, and the roles that may open them.

import type { Role } from '../../core/people/roles.ts'
import type { IconName } from './icon.tsx'

interface Entry {
  part: string
  path: string
  text: string
  icon: IconName
  roles: readonly Role[]
  /** Whether readers with an API key, who are not signed in, may open it, too. */
  keyed?: boolean
}

export const everyRole: readonly Role[] = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR']
/** Roles with an account page. Intermediaries can open nothing else in the console. */
export const accountRoles: readonly Role[] = [...everyRole, 'INTERMEDIARY']
export const readingRoles: readonly Role[] = ['ADMINISTRATOR', 'AUDITOR']

interface Group {
  title: string | undefined
  entries: readonly Entry[]
}

/** The navigation in its groups. Each line here is a line there. */
const groups = [
  {
    title: undefined,
    entries: [
      { part: 'home', path: '/admin', text: 'Home', icon: 'house', roles: everyRole },
      { part: 'programs', path: '/admin/programs', text: 'Programs', icon: 'folder-open', roles: everyRole },
      { part: 'questions', path: '/admin/questions', text: 'Questions', icon: 'list-tree', roles: readingRoles },
      { part: 'applications', path: '/admin/applications', text: 'Applications', icon: 'inbox', roles: everyRole },
    ],
  },
  {
    title: 'API',
    entries: [
      { part: 'keys', path: '/admin/keys', text: 'API keys', icon: 'key-round', roles: readingRoles },
      { part: 'webhooks', path: '/admin/webhooks', text: 'Webhooks', icon: 'webhook', roles: everyRole },
      {
        part: 'documentation',
        path: '/docs/api/programs',
        text: 'Documentation',
        icon: 'book-open',
        roles: everyRole,
        keyed: true,
      },
    ],
  },
  {
    title: 'Organization',
    entries: [
      {
        part: 'intermediaries',
        path: '/admin/intermediaries',
        text: 'Intermediaries',
        icon: 'handshake',
        roles: readingRoles,
      },
      { part: 'people', path: '/admin/people', text: 'People', icon: 'users', roles: readingRoles },
    ],
  },
  {
    title: 'System',
    entries: [
      { part: 'jobs', path: '/admin/jobs', text: 'Jobs', icon: 'activity', roles: readingRoles },
      { part: 'audit', path: '/admin/audit', text: 'Audit', icon: 'scroll-text', roles: readingRoles },
      { part: 'settings', path: '/admin/settings', text: 'Settings', icon: 'settings', roles: readingRoles },
    ],
  },
] as const satisfies readonly Group[]

export const navigation: readonly Group[] = groups

export interface FurtherPage extends Pick<Entry, 'path' | 'text' | 'roles'> {
  /** Other words that people search for when they mean this page. */
  about?: string
}

/** Pages that the search finds although they aren't in the navigation. */
export const furtherPages: readonly FurtherPage[] = [
  { path: '/admin/account', text: 'Your account', roles: everyRole, about: 'password, time zone and sessions' },
  { path: '/admin/account/second-factor', text: 'Two-factor authentication', roles: everyRole },
  { path: '/admin/account/tokens', text: 'API tokens', roles: everyRole },
  { path: '/admin/keys/check', text: 'Test access', roles: readingRoles },
  { path: '/admin/audit/sent', text: 'Recipients of an application', roles: readingRoles },
  { path: '/admin/audit/verify', text: 'Verify the audit log', roles: readingRoles },
  { path: '/admin/settings/retention', text: 'Retention', roles: readingRoles },
]

/** The parts of the product in the navigation. Every page belongs to one of these. */
export type NavigationPart = (typeof groups)[number]['entries'][number]['part']

/** The part of the product that a page belongs to, if this role may open it: where to look if an address doesn't exist. */
export function partOfPath(pathname: string, role: Role) {
  const path = pathname.replace(/^\/admin\/programs\/[^/]+\/applications(?=\/|$)/, '/admin/applications')
  return groups
    .flatMap(({ entries }) => [...entries])
    .find(entry => entry.part !== 'home' && `${path}/`.startsWith(`${entry.path}/`) && entry.roles.includes(role))
}
