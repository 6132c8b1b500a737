// scripts/admin: the people of the console from a terminal. The first administrator is made here.

import { readPresentTime } from '../../src/db/database-clock.ts'
import { type PersonRow, readPeople } from '../../src/db/people/person-rows.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'
import { disablePerson, enablePerson, foldEmail, inviteAgain, invitePerson } from '../../src/people/people.ts'
import { roleNames, roles } from '../../src/people/roles.ts'
import { resetSecondFactor } from '../../src/people/second-factor.ts'
import { Problem } from '../../src/problem.ts'
import { type ScriptContext, serviceAddress, usage } from '../command-line/environment.ts'
import { command, type Run, runCommands } from '../command-line/script-commands.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage:
  scripts/admin create <e-mail> <name> [--role <role>] [--program <slug> …]
  scripts/admin link <e-mail>
  scripts/admin disable <e-mail>
  scripts/admin enable <e-mail>
  scripts/admin reset-second-factor <e-mail>
  scripts/admin list

  create   Adds a person to the console, and prints a link to choose a password. It works once, for seven days.
  link     Another link, for a person who has lost the password.
  disable  Ends every sign-in of this person, every token and the link to choose a password, and allows no other sign-in.
  reset-second-factor  Takes away the codes of an app, for a person who has lost it. Every sign-in ends.

Roles: administrator (unless another is given): everything. program-administrator: applications, status and notes of the programs
named. auditor: reads everything but answers, and changes nothing.`

const byNow = async ({ actor, sql }: ScriptContext) => ({ actor, now: await readPresentTime(sql) })

const invited = (name: string, token: string, { config }: ScriptContext): void =>
  console.log(
    `${name} chooses a password here, within seven days:\n${serviceAddress(config)}/admin/invitations/${token}`,
  )

const list: Run = async ({ sql, config }) => {
  const rows = (await readPeople(sql)).map(one => [
    one.name,
    one.email,
    roleNames[one.role],
    one.programs.join(' '),
    one.disabled_at !== null ? 'disabled' : one.has_password ? 'active' : 'invited',
    one.last_signed_in_at === null ? 'never' : formatOffsetTime(one.last_signed_in_at, config.timeZone),
  ])
  if (rows.length === 0)
    return console.log('There are no people yet. scripts/admin create makes the first administrator.')
  printTable([['Name', 'E-mail', 'Role', 'Programs', 'State', 'Last signed in'], ...rows])
}

function create(email: string, name: string, roleText: string, programs: string[]): Run {
  const role = roles.find(known => known.toLowerCase().replaceAll('_', '-') === roleText)
  if (role === undefined)
    throw usage(`There is no role "${roleText}"; they are administrator, program-administrator and auditor.`)
  return async context => {
    const { token } = await invitePerson(context.sql, { email, name, role, programs }, await byNow(context))
    invited(name, token, context)
  }
}

/** Does something with the person of an e-mail. */
const withPerson = (change: (person: PersonRow, context: ScriptContext) => Promise<void>) =>
  command(['e-mail'], {}, (_, email) => async context => change(await findByEmail(context.sql, email), context))

async function findByEmail(sql: ScriptContext['sql'], email: string): Promise<PersonRow> {
  const person = (await readPeople(sql)).find(one => foldEmail(one.email) === foldEmail(email))
  if (person === undefined) throw new Problem('not_found', { detail: `No person has the e-mail ${email}.` })
  return person
}

await runCommands(help, {
  create: command(
    ['e-mail', 'name'],
    { role: { type: 'string', default: 'administrator' }, program: { type: 'string', multiple: true } },
    ({ role, program = [] }, email, name) => create(email, name, role, program),
  ),
  link: withPerson(async ({ person_id, name }, context) =>
    invited(name, await inviteAgain(context.sql, person_id, await byNow(context)), context),
  ),
  disable: withPerson(async ({ person_id, name }, context) => {
    await disablePerson(context.sql, person_id, await byNow(context))
    console.log(`${name} is disabled.`)
  }),
  enable: withPerson(async ({ person_id, name }, context) => {
    await enablePerson(context.sql, person_id, await byNow(context))
    console.log(`${name} can sign in again.`)
  }),
  'reset-second-factor': withPerson(async ({ person_id, name }, context) => {
    await resetSecondFactor(context.sql, person_id, await byNow(context))
    console.log(`${name} signs in with the password alone.`)
  }),
  list: command([], {}, () => list),
})
