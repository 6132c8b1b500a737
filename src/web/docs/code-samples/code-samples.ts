// Code that exports one program, ready to run in several languages: its own address and slug are in it, credentials never.
// The texts are alongside this file as they are sent, but for the {{words}} that are put in here.

import curl from './curl.sh.txt' with { type: 'text' }
import go from './go.go.txt' with { type: 'text' }
import powerQuery from './power-query.pq.txt' with { type: 'text' }
import powerShell from './powershell.ps1.txt' with { type: 'text' }
import python from './python.py.txt' with { type: 'text' }
import r from './r.R.txt' with { type: 'text' }
import typeScript from './typescript.ts.txt' with { type: 'text' }

export interface CodeSample {
  /** Stable, for addresses: `curl`, `python`, `r`, `typescript`, `go`, `powershell`, `power-query`. */
  id: string
  /** For people. */
  label: string
  /** What to save it as. */
  file_name: string
  /** What it needs and how it is run, in a sentence. */
  usage: string
  /** Whether the tests of this service run it, against refusals and broken connections: only where its language can be had for that. */
  run_by_tests: boolean
  code: string
}

interface Language extends Omit<CodeSample, 'file_name' | 'code'> {
  extension: string
  template: string
  /** A text as a literal of the language. */
  literal: (text: string) => string
}

const single = (text: string, quoteWithin: string): string => `'${text.replaceAll("'", quoteWithin)}'`

const languages: readonly Language[] = [
  {
    id: 'curl',
    label: 'curl',
    extension: 'sh',
    template: curl,
    usage: 'Needs a POSIX shell, curl and jq.',
    run_by_tests: true,
    literal: text => single(text, `'\\''`),
  },
  {
    id: 'python',
    label: 'Python',
    extension: 'py',
    template: python,
    usage: 'Needs Python 3.9 or newer and nothing else.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'r',
    label: 'R',
    extension: 'R',
    template: r,
    usage: 'Needs R 4.0 or newer with the packages curl and jsonlite.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'typescript',
    label: 'TypeScript',
    extension: 'ts',
    template: typeScript,
    usage: 'Needs Bun, or Node.js 22.18 or newer, and nothing else.',
    run_by_tests: true,
    literal: text => single(text, `\\'`),
  },
  {
    id: 'go',
    label: 'Go',
    extension: 'go',
    template: go,
    usage: 'Needs Go 1.18 or newer and nothing else.',
    run_by_tests: true,
    literal: text => JSON.stringify(text),
  },
  {
    id: 'powershell',
    label: 'PowerShell',
    extension: 'ps1',
    template: powerShell,
    usage: 'Needs Windows PowerShell 5.1, or PowerShell 7, and nothing else.',
    run_by_tests: false,
    literal: text => single(text, `''`),
  },
  {
    id: 'power-query',
    label: 'Power Query',
    extension: 'pq',
    template: powerQuery,
    usage:
      'For Excel and Power BI. It fills a table; credentials are asked for by Power Query itself. EXCEL.md of Tributary goes through it click by click.',
    run_by_tests: false,
    literal: text => `"${text.replaceAll('"', '""')}"`,
  },
]

/**
 * The samples for one program. `baseUrl` is where the service is, without a slash at the end; `slug` a program's.
 * Each walks all pages, repeats a page that was refused for the moment (429, 5xx) or broken off, and keeps only whole ones.
 */
export function codeSamples(baseUrl: string, slug: string): CodeSample[] {
  const path = `api/v1/admin/programs/${slug}/applications`
  // As a URL, so that nothing is left in it that a comment or a literal of some language could end with.
  const base = new URL(baseUrl).href.replace(/\/$/, '')
  return languages.map(({ extension, template, literal, ...sample }) => {
    const file_name = `export-${slug}.${extension}`
    const words: Readonly<Record<string, string>> = {
      slug,
      script: file_name,
      file: literal(`${slug}.ndjson`),
      url: literal(`${base}/${path}`),
      baseUrl: literal(base),
      path: literal(path),
    }
    const code = template.replace(/\{\{(\w+)\}\}/g, (_, word: string) => {
      const value = words[word]
      if (value === undefined) throw new Error(`the sample for ${sample.label} has an unknown word ${word}`)
      return value
    })
    return { ...sample, file_name, code }
  })
}
