// Roles of the console. A role is a set of allowed routes. Program administrators are also limited to their programs.

import { Problem } from '../../base/problem.ts'

/**
 * ADMINISTRATOR: everything. PROGRAM_ADMINISTRATOR: applications, statuses and notes of the named programs. AUDITOR:
 * reads everything except answers, and changes nothing.
 */
export const roles = ['ADMINISTRATOR', 'PROGRAM_ADMINISTRATOR', 'AUDITOR'] as const
/** INTERMEDIARY: applies for clients of their organization at `/apply`, and has access only to their own account in the console. */
export const allRoles = [...roles, 'INTERMEDIARY'] as const
export type Role = (typeof allRoles)[number]

export const roleNames: Readonly<Record<Role, string>> = {
  ADMINISTRATOR: 'Administrator',
  PROGRAM_ADMINISTRATOR: 'Program administrator',
  AUDITOR: 'Auditor',
  INTERMEDIARY: 'Intermediary',
}

/** A person who is signed in to the console. */
export interface Person {
  person_id: number
  email: string
  name: string
  role: Role
  /** The IDs of a program administrator's programs; everyone else has all. */
  programIds: 'all' | ReadonlySet<number>
}

/** A person's permissions from their database row; a program administrator with the IDs of their programs, an intermediary with none. */
export const personOf = (row: Omit<Person, 'programIds'> & { program_ids: readonly number[] }): Person => {
  const { person_id, email, name, role, program_ids } = row
  const hasAll = role === 'ADMINISTRATOR' || role === 'AUDITOR'
  return { person_id, email, name, role, programIds: hasAll ? 'all' : new Set(program_ids) }
}

/** A person's name in the audit log. */
export const actorOf = (person: Pick<Person, 'email'>): string => `admin:${person.email}`

/** The email address of a person who acted in the console; for other actors, their name in the audit log. */
export const emailOf = (actor: string): string => actor.replace(/^(admin-token:[^:]*|admin|intermediary|operator):/, '')

/** The IDs of the programs that a person may see, as a parameter of statements. */
export const programsAmong = ({ programIds }: Pick<Person, 'programIds'>): 'all' | number[] =>
  programIds === 'all' ? programIds : [...programIds]

/** Whether a person may see this program. */
export const maySeeProgram = (person: Person, programId: number): boolean =>
  person.programIds === 'all' || person.programIds.has(programId)

/** Whether a person may read applicants' answers. */
export const mayReadAnswers = ({ role }: Person): boolean =>
  role === 'ADMINISTRATOR' || role === 'PROGRAM_ADMINISTRATOR'

/** Throws Problem `forbidden` if the role may not use this route. */
export function requireRole(person: Person, allowed: readonly Role[]): void {
  if (allowed.includes(person.role)) return
  throw new Problem('forbidden', {
    detail: `This needs the role ${allowed.map(role => roleNames[role]).join(' or ')}. Your role is ${roleNames[person.role]}. Ask an administrator to change it.`,
    internal: 'role',
  })
}
