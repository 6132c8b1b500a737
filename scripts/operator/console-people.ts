// scripts/admin: the people of the console from a terminal. The first administrator is made here.

import { parseArgs } from 'node:util'
import { type PersonRow, readPeople } from '../../src/db/people/person-rows.ts'
import { formatOffsetTime } from '../../src/domain/values/offset-time.ts'
import { disablePerson, enablePerson, foldEmail, inviteAgain, invitePerson } from '../../src/people/people.ts'
import { type Role, roleNames, roles } from '../../src/people/roles.ts'
import { Problem } from '../../src/problem.ts'
import {
  readCommandLine,
  refuseMore,
  runScript,
  type ScriptContext,
  serviceAddress,
  unknownCommand,
  usage,
} from '../command-line/environment.ts'
import { printTable } from '../command-line/text-table.ts'

const help = `Usage:
  scripts/admin create <e-mail> <name> [--role <role>] [--program <slug> …]
  scripts/admin link <e-mail>
  scripts/admin disable <e-mail>
  scripts/admin enable <e-mail>
  scripts/admin list

  create   Adds somebody to the console, and prints a link with which the person chooses a password. Good for seven days, once.
  link     Another link, for somebody who has lost the password.
  disable  Ends every sign-in of this person, every token and the link to choose a password, and allows no other sign-in.

Roles: administrator (unless another is given): everything. program-administrator: applications, status and notes of the programs
named. auditor: reads everything but answers, and changes nothing.`

interface Command {
  name: 'create' | 'link' | 'disable' | 'enable' | 'list'
  email: string
  personName: string
  role: Role
  programs: string[]
}

function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { role: { type: 'string' }, program: { type: 'string', multiple: true } },
    allowPositionals: true,
  })
  const [name, email = '', personName = '', ...rest] = positionals
  if (name !== 'create' && name !== 'link' && name !== 'disable' && name !== 'enable' && name !== 'list')
    throw unknownCommand(name)
  if (name !== 'list' && email === '') throw usage('Name a person by e-mail.')
  if (name === 'create' && personName === '') throw usage('Give the name of the person, too.')
  const unexpected =
    name === 'create' ? rest : [...(name === 'list' ? [email] : []), personName, ...rest].filter(Boolean)
  refuseMore(unexpected)
  if (name !== 'create' && (values.role !== undefined || values.program !== undefined))
    throw usage('--role and --program go with create only.')
  const role = roles.find(known => known.toLowerCase().replaceAll('_', '-') === (values.role ?? 'administrator'))
  if (role === undefined)
    throw usage(`There is no role "${values.role}"; they are administrator, program-administrator and auditor.`)
  return { name, email, personName, role, programs: values.program ?? [] }
}

async function run(command: Command, { sql, config, actor }: ScriptContext): Promise<void> {
  const by = { actor, now: Date.now() * 1000 }
  const link = (token: string): string => `${serviceAddress(config)}/admin/invitations/${token}`
  if (command.name === 'list') {
    const rows = (await readPeople(sql)).map(one => [
      one.name,
      one.email,
      roleNames[one.role],
      one.programs.join(' '),
      one.disabled_at !== null ? 'disabled' : one.has_password ? 'active' : 'invited',
      one.last_signed_in_at === null ? 'never' : formatOffsetTime(one.last_signed_in_at, config.timeZone),
    ])
    if (rows.length === 0) return console.log('Nobody is here yet. scripts/admin create makes the first administrator.')
    return printTable([['Name', 'E-mail', 'Role', 'Programs', 'State', 'Last signed in'], ...rows])
  }
  if (command.name === 'create') {
    const { email, personName, role, programs } = command
    const { token } = await invitePerson(sql, { email, name: personName, role, programs }, by)
    console.log(`${personName} chooses a password here, within seven days:\n${link(token)}`)
    return
  }
  const person = await findByEmail(sql, command.email)
  if (command.name === 'link') {
    console.log(
      `${person.name} chooses a password here, within seven days:\n${link(await inviteAgain(sql, person.person_id, by))}`,
    )
  } else if (command.name === 'disable') {
    await disablePerson(sql, person.person_id, by)
    console.log(`${person.name} is disabled.`)
  } else {
    await enablePerson(sql, person.person_id, by)
    console.log(`${person.name} can sign in again.`)
  }
}

async function findByEmail(sql: ScriptContext['sql'], email: string): Promise<PersonRow> {
  const person = (await readPeople(sql)).find(one => foldEmail(one.email) === foldEmail(email))
  if (person === undefined) throw new Problem('not_found', { detail: `There is nobody with the e-mail ${email}.` })
  return person
}

const command = await readCommandLine(help, parseCommand)
await runScript(context => run(command, context))
