// Code samples that export a program, in several languages. They contain its address and slug but never credentials.
// The templates are beside this file; their {{words}} are filled in here.

import csharp from './csharp.cs.txt' with { type: 'text' }
import curl from './curl.sh.txt' with { type: 'text' }
import exactCsv from './exact-csv.py.txt' with { type: 'text' }
import go from './go.go.txt' with { type: 'text' }
import java from './java.java.txt' with { type: 'text' }
import powerQuery from './power-query.pq.txt' with { type: 'text' }
import powerShell from './powershell.ps1.txt' with { type: 'text' }
import python from './python.py.txt' with { type: 'text' }
import r from './r.R.txt' with { type: 'text' }
import typeScript from './typescript.ts.txt' with { type: 'text' }

export interface CodeSample {
  /** Stable, for addresses: `curl`, `python`, `r`, `typescript`, `go`, `java`, `csharp`, `powershell`, `power-query`. */
  id: string
  /** The name for people. */
  label: string
  /** Suggested file name. */
  file_name: string
  /** Requirements, one sentence. */
  usage: string
  /** Whether our tests run it against errors and broken connections, which requires its language to be installed. */
  run_by_tests: boolean
  code: string
}

interface Language extends Omit<CodeSample, 'file_name' | 'code'> {
  extension: string
  template: string
  /** Quotes a text as a literal of the language. */
  literal: (text: string) => string
}

const single = (text: string, quoteWithin: string): string => `'${text.replaceAll("'", quoteWithin)}'`

const languages: readonly Language[] = [
  {
    id: 'curl',
    label: 'curl',
    extension: 'sh',
    template: curl,
    usage: 'Requires a POSIX shell, curl and jq.',
    run_by_tests: true,
    literal: text => single(text, `'\\''`),
  },
  {
    id: 'python',
    label: 'Python',
    extension: 'py',
    template: python,
    usage: 'Requires only Python 3.9 or newer.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'r',
    label: 'R',
    extension: 'R',
    template: r,
    usage: 'Requires R 4.0 or newer with the packages curl and jsonlite.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    extension: 'ts',
    template: typeScript,
    usage: 'Requires only Bun, or Node.js 22.18 or newer.',
    run_by_tests: true,
    literal: text => single(text, `\\'`),
  },
  {
    id: 'go',
    label: 'Go',
    extension: 'go',
    template: go,
    usage: 'Requires only Go 1.18 or newer.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'java',
    label: 'Java',
    extension: 'java',
    template: java,
    usage: 'Requires only Java 11 or newer.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'csharp',
    label: 'C#',
    extension: 'cs',
    template: csharp,
    usage: 'Requires only .NET 10 or newer. With a project file, it runs on any .NET or on Mono.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'powershell',
    label: 'PowerShell',
    extension: 'ps1',
    template: powerShell,
    usage: 'Requires only Windows PowerShell 5.1 or PowerShell 7.',
    run_by_tests: false,
    literal: text => single(text, `''`),
  },
  {
    id: 'power-query',
    label: 'Power Query',
    extension: 'pq',
    template: powerQuery,
    usage:
      'For Excel and Power BI. It fills a table, and Power Query asks for the credentials. EXCEL.md in the Tributary repository has step-by-step instructions.',
    run_by_tests: false,
    literal: text => `"${text.replaceAll('"', '""')}"`,
  },
]

/**
 * Code samples for a program; `baseUrl` has no trailing slash.
 * Each sample reads all pages, retries a page after 429, 5xx or a broken connection, and keeps only complete pages.
 */
export function codeSamples(baseUrl: string, slug: string): CodeSample[] {
  const path = exportPath(slug)
  const base = encodedBase(baseUrl)
  return languages.map(({ extension, template, literal, ...sample }) => {
    const file_name = `export-${slug}.${extension}`
    const code = filledIn(template, {
      slug,
      script: file_name,
      file: literal(`${slug}.ndjson`),
      url: literal(`${base}/${path}`),
      baseUrl: literal(base),
      path: literal(path),
    })
    return { ...sample, file_name, code }
  })
}

/** A Python script that exports a program as one CSV file, for software that reads CSV. */
export const csvScript = (baseUrl: string, slug: string): string =>
  filledIn(exactCsv, { url: JSON.stringify(`${encodedBase(baseUrl)}/${exportPath(slug)}`) }).trim()

const exportPath = (slug: string): string => `api/v1/admin/programs/${slug}/applications`

/** URL encoding removes everything that could end a comment or a literal in one of the languages. */
const encodedBase = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/$/, '')

const filledIn = (template: string, words: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (_, word: string) => {
    const value = words[word]
    if (value === undefined) throw new Error(`a code sample contains an unknown placeholder ${word}`)
    return value
  })
