// The command line of the tool, and its help.

import { parseArgs } from 'node:util'
import { folderFormat, folderPath, isFolder } from './formats/folder-format.ts'
import { formatOf } from './formats/output-formats.ts'
import { postgresFormat } from './postgres/postgres-format.ts'
import { filterOptions, filtersIn, namesOf } from './requests/filter-options.ts'
import { CommandError } from './requests/pull-outcome.ts'
import type { PullRequest } from './requests/pull-request.ts'
import type { OutputFormat } from './spool/output-format.ts'

export const pullHelp = `Usage: tributary pull <address> --program <slug> (--out <file> | --to <database>) [options]

Pulls every application of a program: each one once, in the order of submission. May be interrupted at any time, in any way; the
same command continues from there. The file gets its name when everything is in it, and not before.

  <address>           Where the service is, such as https://apply.example.gov
  --program <slug>    As in the docs of the service
  --out <file>        apps.ndjson or apps.jsonl: applications as they are, one a line
                      apps.csv: a table of applications, and alongside it apps.<enumerator>.csv for each list of entities
                      apps.parquet: the same tables in Parquet
                      apps/: a folder with a file for each application
                      -: lines to standard output, when all have come. Nothing is kept that another pull could continue with
  --to <database>     postgres://user@host/database: the same tables there, made and filled; password from PGPASSWORD
  --schema <name>     With --to: of the tables; the program's slug with _ for - without it
  --state <name>      With --to: where the pull remembers how far it is; tributary-<slug> in this folder without it

Which applications; all of them without these:
${filterOptions.map(({ option, value, help }) => `  ${`--${option} ${value}`.padEnd(18)}  ${help}`).join('\n')}
  --fields <keys>     Only these questions of them: name,household_member.income; whatever is named brings all that lies under it
  --since-last        Only what was submitted since the last pull into this output, added to what is in it. A database also follows
                      what was erased, superseded or given a status; a file does not

  --follow            Keep a database or a folder up to date, until it is stopped: as --since-last does, and then change by change.
                      Without ${namesOf(filterOptions, 'and', '--since-last')}

How tables are laid out:
  --multi <how>       one: a column with all that was selected (without it); columns: a column for each option
  --option-labels     The words of options in place of their ids
  --exact-csv         For programs: no byte order mark, and texts as they are, also those that a spreadsheet takes for formulas

How:
  --credentials <file>   Username and Password of the API key, on two lines. Without it they are taken from TRIBUTARY_USERNAME
                         and TRIBUTARY_PASSWORD, or asked for
  --page-size <n>        Applications on a page; 1000 without it. A page is what is asked for again when a connection breaks
  --retries <n>          Attempts after the first that may fail one after another; 8 without it, which is some five minutes
  --checkpoint <seconds> How much work an interruption may cost; 1 without it, 0 for a page
  --no-verify-schema     Do not hold each application against the JSON Schema of the program
  --restart              Drop what an interrupted pull has left, and begin again
  --quiet                Say nothing unless something is wrong
  --json                 Print the result as JSON on standard output: count, digest of the ids, and where the next pull begins

Ends with 0 when everything is there; 1 something must be mended first; 2 wrong usage; 3 not everything came yet, the same command
continues; 4 what came is not what was promised; 5 another pull is at work on the same file.`

export const verifyHelp = `Usage: tributary verify <file or folder>

Counts the applications in a file that tributary pull has written, computes the digest of their ids again, and compares both with
what the pull recorded and the service reported. In a folder, also while it is followed, it reads each application, and
compares which there are with what came. Ends with 0 when they agree, and with 4 when they do not.`

export const typesHelp = `Usage: tributary types <address> --program <slug> [--fields <keys>] [--out <file>] [--credentials <file>]

Writes TypeScript for the applications of a program, with the type Application and a type for each of its questions: to the file, or to
standard output. With --fields, of some questions only, as for tributary pull, and for what was pulled with the same. An API key that may
read the program is needed.`

export interface PullCommand extends PullRequest {
  address: string
  /** The file; of a database, the name that state and spool are kept alongside. */
  out: string
  format: OutputFormat
  retriesMax: number
  credentialsFile: string | undefined
  quiet: boolean
  json: boolean
  follow: boolean
}

/** As `--out`: standard output. */
export const standardOutput = '-'

const pullOptions = {
  program: { type: 'string' },
  out: { type: 'string' },
  to: { type: 'string' },
  schema: { type: 'string' },
  state: { type: 'string' },
  fields: { type: 'string' },
  'since-last': { type: 'boolean', default: false },
  credentials: { type: 'string' },
  'page-size': { type: 'string', default: '1000' },
  retries: { type: 'string', default: '8' },
  multi: { type: 'string', default: 'one' },
  'option-labels': { type: 'boolean', default: false },
  'exact-csv': { type: 'boolean', default: false },
  checkpoint: { type: 'string', default: '1' },
  'no-verify-schema': { type: 'boolean', default: false },
  follow: { type: 'boolean', default: false },
  restart: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

export function parsePull(args: string[]): PullCommand {
  const filtering = Object.fromEntries(filterOptions.map(({ option }) => [option, { type: 'string' } as const]))
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { ...filtering, ...pullOptions } })
  const filters = filtersIn(values)
  const [address] = positionals
  if (address === undefined || positionals.length > 1)
    throw wrong('Give one address of a service, such as https://apply.example.gov.')
  const { program } = values
  if (program === undefined || program === '') throw wrong('Name the program with --program.')
  requireSlug(program)
  const { out: place, format } = destinationOf(values, program)
  if (!/^[1-9][0-9]{0,6}$/.test(values['page-size']))
    throw wrong(`--page-size must be a whole number from 1 to 9999999, not "${values['page-size']}".`)
  if (!/^[0-9]{1,4}$/.test(values.retries))
    throw wrong(`--retries must be a whole number from 0 to 9999, not "${values.retries}".`)
  if (!/^[0-9]{1,4}$/.test(values.checkpoint))
    throw wrong(`--checkpoint must be a whole number of seconds from 0 to 9999, not "${values.checkpoint}".`)
  const { multi } = values
  if (multi !== 'one' && multi !== 'columns') throw wrong(`--multi must be one or columns, not "${multi}".`)
  if (multi === 'columns' && values['option-labels'])
    throw wrong('--option-labels cannot go with --multi columns, whose headings have the ids: their words may change.')
  if (values['since-last'] && filters.toDate !== undefined)
    throw wrong('--since-last and --before exclude each other: what was submitted later would never be asked for.')
  if (values['since-last'] && filters.revisionState === 'OBSOLETE')
    throw wrong(
      '--since-last cannot go with OBSOLETE: what is superseded from now on was submitted before, and would never come.',
    )
  const chosen = values['since-last'] || Object.values(filters).some(value => value !== undefined)
  if (values.follow && chosen)
    throw wrong(`--follow keeps all that there is: it goes without ${namesOf(filterOptions, 'and', '--since-last')}.`)
  if (values.follow && (format.follow === undefined || values.json))
    throw wrong(
      '--follow keeps a database (--to) or a folder (--out apps/) up to date, without --json: a file cannot follow.',
    )
  if (format.folder !== undefined && values['since-last'])
    throw wrong('A folder is kept up to date by --follow; without it, all of it is pulled again.')
  if (place === standardOutput && (values['since-last'] || values.restart || values.json))
    throw wrong('--out - keeps nothing and prints lines alone: it goes without --since-last, --restart and --json.')
  return {
    address,
    program,
    out: place,
    format,
    filters: { ...filters, fields: fieldsOf(values.fields) },
    sinceLast: values['since-last'],
    follow: values.follow,
    restart: values.restart,
    verifySchema: !values['no-verify-schema'],
    tables: { multi, labels: values['option-labels'] },
    csvExact: values['exact-csv'],
    pageSize: Number(values['page-size']),
    checkpointEveryMs: Number(values.checkpoint) * 1000,
    retriesMax: Number(values.retries),
    credentialsFile: values.credentials,
    quiet: values.quiet,
    json: values.json,
  }
}

/** It becomes part of addresses and of names of files. */
function requireSlug(program: string, command = 'pull'): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._~-]*$/.test(program))
    throw wrong(`--program must be the slug of a program, such as utility-assistance, not "${program}".`, command)
}

/** The same text for the same choice, in whatever order the questions were named. */
function fieldsOf(asked: string | undefined, command = 'pull'): string | undefined {
  const names = asked?.split(',').map(name => name.trim())
  if (names?.includes(''))
    throw wrong(
      `--fields must be question keys with commas between, such as name,household_member.income, not "${asked}".`,
      command,
    )
  return names && [...new Set(names)].sort().join()
}

/** Either a file, or a database. */
function destinationOf(
  { out, to, schema, state }: { out?: string; to?: string; schema?: string; state?: string },
  program: string,
): { out: string; format: OutputFormat } {
  if ((out === undefined) === (to === undefined))
    throw wrong('Say where to: a file with --out, or a database with --to.')
  if (out !== undefined) {
    if (schema !== undefined || state !== undefined) throw wrong('--schema and --state go with --to.')
    if (isFolder(out)) return { out: folderPath(out), format: folderFormat(out) }
    return { out, format: formatOf(out === standardOutput ? 'lines.ndjson' : out) }
  }
  const url = URL.canParse(to!) ? new URL(to!) : undefined
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw wrong('--to must be a database, such as postgres://user@host/database.')
  if (url.password !== '')
    throw wrong(
      '--to must not have the password in it, where every account of this machine could read it: set PGPASSWORD.',
    )
  const name = schema ?? program.replaceAll('-', '_')
  if (name === '' || Buffer.byteLength(name) > 63 || name.includes('.') || name.startsWith('pg_'))
    throw wrong(`--schema must be a name of at most 63 bytes without dots that does not begin with pg_, not "${name}".`)
  return { out: state ?? `tributary-${program}`, format: postgresFormat(to!, name) }
}

export interface TypesCommand {
  address: string
  program: string
  fields: string | undefined
  out: string | undefined
  credentialsFile: string | undefined
}

export function parseTypes(args: string[]): TypesCommand {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      program: { type: 'string' },
      fields: { type: 'string' },
      out: { type: 'string' },
      credentials: { type: 'string' },
    },
  })
  const [address] = positionals
  const { program, fields, out, credentials } = values
  if (address === undefined || positionals.length > 1 || !program)
    throw new CommandError('usage', 'Give one address of a service, and --program. See tributary types --help.')
  requireSlug(program, 'types')
  return { address, program, fields: fieldsOf(fields, 'types'), out, credentialsFile: credentials }
}

export function parseVerify(args: string[]): { file: string } {
  const [file, ...more] = parseArgs({ args, allowPositionals: true, options: {} }).positionals
  if (file === undefined || more.length > 0)
    throw new CommandError('usage', 'Name one file or folder. See tributary verify --help.')
  return { file }
}

const wrong = (what: string, command = 'pull'): CommandError =>
  new CommandError('usage', `${what} See tributary ${command} --help.`)
