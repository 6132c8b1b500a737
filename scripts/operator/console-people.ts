// scripts/admin: creates the first administrator, and helps people who can't sign in to the console.

import { Problem } from '../../src/base/problem.ts'
import { enablePerson, foldEmail, inviteAgain, invitePerson } from '../../src/core/people/people.ts'
import { roles } from '../../src/core/people/roles.ts'
import { resetSecondFactor } from '../../src/core/people/second-factor.ts'
import { readPresentTime } from '../../src/db/database-clock.ts'
import { type PersonRow, readPeople } from '../../src/db/people/person-rows.ts'
import { type ScriptContext, serviceAddress, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'

const help = `Usage:
  scripts/admin create <email> <name> [--role <role>] [--program <slug> …]
  scripts/admin link <email>
  scripts/admin enable <email>
  scripts/admin reset-second-factor <email>

  create   Adds a person to the console and prints a link for choosing a password. It works once, within seven days.
  link     Prints a new link for someone who has lost their password.
  enable   Lets someone who was disabled in the console sign in again.
  reset-second-factor  Removes the authenticator app of someone who has lost it, and ends all their sessions.

Roles: administrator (default): everything. program-administrator: applications, status and notes of the programs named.
auditor: reads everything except answers, and changes nothing.`

const byNow = async ({ actor, sql }: ScriptContext) => ({ actor, now: await readPresentTime(sql) })

const invited = (name: string, token: string, { config }: ScriptContext): void =>
  console.log(
    `${name} can choose a password here within seven days:\n${serviceAddress(config)}/admin/invitations/${token}`,
  )

function create(email: string, name: string, roleText: string, programs: string[]): Run {
  const role = roles.find(known => known.toLowerCase().replaceAll('_', '-') === roleText)
  if (role === undefined)
    throw usage(`Unknown role "${roleText}". The roles are administrator, program-administrator and auditor.`)
  return async context => {
    const { token } = await invitePerson(context.sql, { email, name, role, programs }, await byNow(context))
    invited(name, token, context)
  }
}

/** A command that changes the person with an email address. */
const withPerson = (change: (person: PersonRow, context: ScriptContext) => Promise<void>) =>
  command(['email'], {}, (_, email) => async context => change(await findByEmail(context.sql, email), context))

async function findByEmail(sql: ScriptContext['sql'], email: string): Promise<PersonRow> {
  const person = (await readPeople(sql)).find(person => foldEmail(person.email) === foldEmail(email))
  if (person === undefined) throw new Problem('not_found', { detail: `No one has the email address ${email}.` })
  return person
}

await runCommands(help, {
  create: command(
    ['email', 'name'],
    { role: { type: 'string', default: 'administrator' }, program: { type: 'string', multiple: true } },
    ({ role, program = [] }, email, name) => create(email, name, role, program),
  ),
  link: withPerson(async ({ person_id, name }, context) =>
    invited(name, await inviteAgain(context.sql, person_id, await byNow(context)), context),
  ),
  enable: withPerson(async ({ person_id, name }, context) => {
    await enablePerson(context.sql, person_id, await byNow(context))
    console.log(`${name} can sign in again.`)
  }),
  'reset-second-factor': withPerson(async ({ person_id, name }, context) => {
    await resetSecondFactor(context.sql, person_id, await byNow(context))
    console.log(`${name} can now sign in with only the password.`)
  }),
})
