// The command line of `tributary pull`, `verify` and `types`, with its help.

import { parseArgs } from 'node:util'
import { folderFormat, folderPath, isFolder } from './formats/folder-format.ts'
import { formatOf } from './formats/output-formats.ts'
import { postgresFormat } from './postgres/postgres-format.ts'
import { filterOptions, filtersIn, namesOf } from './requests/filter-options.ts'
import { CommandError } from './requests/pull-outcome.ts'
import type { PullRequest } from './requests/pull-request.ts'
import type { OutputFormat } from './spool/output-format.ts'

export const pullHelp = `Usage: tributary pull <address> --program <slug> (--out <file> | --to <database>) [options]

Pulls every application to a program exactly once, in submission order. If it is interrupted, run the same command again to continue.
The file appears under its name only when it is complete.

  <address>           The service, such as https://apply.example.gov
  --program <slug>    The program's slug, as in the service's docs
  --out <file>        apps.ndjson or apps.jsonl: one application per line, as sent
                      apps.csv: a table of applications, with apps.<enumerator>.csv for each list of entities
                      apps.parquet: the same tables in Parquet
                      apps.xlsx: a workbook for people, with a sheet for each of these tables, question texts and option labels
                      apps.zip: the rows of that workbook as CSV files
                      apps/: a folder with one file per application
                      -: lines to standard output, once all have arrived. Saves no state, so no later pull can continue from it
  --to <database>     postgres://user@host/database: creates and fills the same tables there; password from PGPASSWORD
  --schema <name>     With --to: the schema of the tables. Default: the program's slug, with _ for -
  --state <name>      With --to: the file for the progress of the pull. Default: tributary-<slug> in this folder

Which applications (default: all):
${filterOptions.map(({ option, value, help }) => `  ${`--${option} ${value}`.padEnd(18)}  ${help}`).join('\n')}
  --fields <keys>     Only these questions, with everything under them: name,household_member.income
  --since-last        Only applications submitted since the last pull into this output, which are added to it. A database also
                      receives erasures, revision states and statuses; a file does not

  --follow            Keep a database or folder up to date until stopped: first as with --since-last, then change by change.
                      Cannot be used with ${namesOf(filterOptions, 'or', '--since-last')}

Table layout:
  --multi <layout>    one: a single column with all selected options (default); columns: a column per option
  --option-labels     Option labels instead of IDs
  --language <tag>    Language of option labels, and of question texts in a workbook: es. Default: the program's
  --exact-csv         CSV for software: no byte order mark, and no apostrophe before text that looks like a formula

Behavior:
  --credentials <file>   A file with the API key's username and password on two lines. Default: TRIBUTARY_USERNAME and
                         TRIBUTARY_PASSWORD, or a prompt
  --page-size <n>        Applications per page, the unit that is repeated after a broken connection. Default: 1000
  --retries <n>          Consecutive failures before giving up. Default: 8, about five minutes
  --checkpoint <seconds> Maximum work lost in an interruption. Default: 1; 0 saves every page
  --no-verify-schema     Skip validating each application against the program's JSON Schema
  --restart              Discard an interrupted pull and start over
  --quiet                Print only problems
  --json                 Print the result as JSON on standard output: count, digest of the IDs, and where the next pull starts

Exit status: 0 complete; 1 something needs fixing first; 2 wrong usage; 3 incomplete, run the same command to continue; 4 the data
does not match what the service promised; 5 another pull is writing this output.`

export const verifyHelp = `Usage: tributary verify <file or folder>

Counts the applications in a file written by tributary pull, recomputes the digest of their IDs, and compares both with the pull's
record and the service's receipt. For a folder, even one being followed, reads every application and compares it with the record.
Exit status: 0 when they match, 4 when they don't.`

export const typesHelp = `Usage: tributary types <address> --program <slug> [--fields <keys>] [--out <file>] [--credentials <file>]

Generates TypeScript for a program's applications, with the type Application and a type for each question, in the file or on standard
output. With --fields, covers only those questions, matching a pull with the same option. Needs an API key that may read the program.`

export interface PullCommand extends PullRequest {
  address: string
  /** The file; for a database, the name next to which state and spool are stored. */
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
  language: { type: 'string' },
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
    throw wrong('Enter the address of a service, such as https://apply.example.gov.')
  const { program } = values
  if (program === undefined || program === '') throw wrong('Choose a program with --program.')
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
    throw wrong(
      '--option-labels cannot be used with --multi columns: its headings are option IDs, because labels may change.',
    )
  requireFitting(values, { place, format, filters })
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
    tables: {
      multi,
      labels: values['option-labels'] || (format.isForPeople === true && multi === 'one'),
      ...(values.language !== undefined && { language: languageTag(values.language) }),
    },
    csvExact: values['exact-csv'],
    pageSize: Number(values['page-size']),
    checkpointEveryMs: Number(values.checkpoint) * 1000,
    retriesMax: Number(values.retries),
    credentialsFile: values.credentials,
    quiet: values.quiet,
    json: values.json,
  }
}

/** Throws for options that exclude each other. */
function requireFitting(
  values: {
    'since-last': boolean
    'option-labels': boolean
    'exact-csv': boolean
    language?: string
    follow: boolean
    json: boolean
    restart: boolean
  },
  { place, format, filters }: { place: string; format: OutputFormat; filters: ReturnType<typeof filtersIn> },
): void {
  if (values['since-last'] && filters.toDate !== undefined)
    throw wrong('--since-last cannot be used with --before: later applications would never be pulled.')
  if (values['since-last'] && filters.revisionState === 'OBSOLETE')
    throw wrong(
      '--since-last cannot be used with OBSOLETE: applications superseded after this pull would never be pulled.',
    )
  const chosen = values['since-last'] || Object.values(filters).some(value => value !== undefined)
  if (values.follow && chosen)
    throw wrong(
      `--follow keeps every application and cannot be used with ${namesOf(filterOptions, 'or', '--since-last')}.`,
    )
  if (values.follow && (format.follow === undefined || values.json))
    throw wrong('--follow needs a database (--to) or a folder (--out apps/), and cannot be used with --json.')
  if (format.isForPeople && (values['since-last'] || values['exact-csv']))
    throw wrong(
      `A ${format.ending} file cannot be used with --since-last or --exact-csv. Pull into a .csv file instead.`,
    )
  if (values.language !== undefined && !format.isForPeople && !(format.hasTables && values['option-labels']))
    throw wrong('--language needs --option-labels and tables, or a workbook.')
  if (format.folder !== undefined && values['since-last'])
    throw wrong('Use --follow to keep a folder up to date. Without it, everything is pulled again.')
  if (place === standardOutput && (values['since-last'] || values.restart || values.json))
    throw wrong('--out - keeps no state, so it cannot be used with --since-last, --restart or --json.')
}

/** It becomes part of addresses and file names. */
function requireSlug(program: string, command = 'pull'): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._~-]*$/.test(program))
    throw wrong(`--program must be the slug of a program, such as utility-assistance, not "${program}".`, command)
}

/** In its canonical form (BCP 47). */
function languageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0]!
  } catch {
    throw wrong(`--language must be a language tag, such as es or pt-BR, not "${tag}".`)
  }
}

/** The same text for the same selection, in whatever order the questions were named. */
function fieldsOf(text: string | undefined, command = 'pull'): string | undefined {
  const names = text?.split(',').map(name => name.trim())
  if (names?.includes(''))
    throw wrong(
      `--fields must be question keys separated by commas, such as name,household_member.income, not "${text}".`,
      command,
    )
  return names && [...new Set(names)].sort().join()
}

/** Either a file, or a database. */
function destinationOf(
  { out, to, schema, state }: { out?: string; to?: string; schema?: string; state?: string },
  program: string,
): { out: string; format: OutputFormat } {
  if ((out === undefined) === (to === undefined)) throw wrong('Choose a file with --out or a database with --to.')
  if (out !== undefined) {
    if (schema !== undefined || state !== undefined) throw wrong('--schema and --state need --to.')
    if (isFolder(out)) return { out: folderPath(out), format: folderFormat(out) }
    return { out, format: formatOf(out === standardOutput ? 'lines.ndjson' : out) }
  }
  const url = URL.canParse(to!) ? new URL(to!) : undefined
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw wrong('--to must be the URL of a database, such as postgres://user@host/database.')
  if (url.password !== '')
    throw wrong('--to must not contain the password, which every user of this machine could read. Set PGPASSWORD.')
  const name = schema ?? program.replaceAll('-', '_')
  if (name === '' || Buffer.byteLength(name) > 63 || name.includes('.') || name.startsWith('pg_'))
    throw wrong(`--schema must be a name of at most 63 bytes, without dots and not starting with pg_, not "${name}".`)
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
    throw new CommandError('usage', 'Enter the address of a service and --program. See tributary types --help.')
  requireSlug(program, 'types')
  return { address, program, fields: fieldsOf(fields, 'types'), out, credentialsFile: credentials }
}

export function parseVerify(args: string[]): { file: string } {
  const [file, ...more] = parseArgs({ args, allowPositionals: true, options: {} }).positionals
  if (file === undefined || more.length > 0)
    throw new CommandError('usage', 'Enter one file or folder. See tributary verify --help.')
  return { file }
}

const wrong = (what: string, command = 'pull'): CommandError =>
  new CommandError('usage', `${what} See tributary ${command} --help.`)
