// Makes everything that is generated of one program which asks for as much as it can, and prints how long each came out.
// Runs as a process of its own, which the test gives little memory and little time: see tests/domain/samples/bounded-docs.test.ts.

import type { QuestionKind, QuestionSettings, VersionQuestion } from '../../src/domain/questions/question.ts'
import { responseSchema } from '../../src/domain/questions/response-schema.ts'
import { type DocumentableVersion, versionDocs } from '../../src/domain/samples/version-docs.ts'
import { ProgramPage } from '../../src/web/docs/program-page.tsx'
import { viewProgram } from '../../src/web/docs/program-view.ts'
import { pageResponse } from '../../src/web/html/docs-response.ts'
import { pageContext } from '../../src/web/html/page-context.ts'
import { programOpenApi } from '../../src/web/http/openapi/program-document.ts'
import { schemaErrors } from './response-schema.ts'

const million = 1_000_000
let ids = 0

function question(kind: QuestionKind, parent: VersionQuestion | null, settings: Partial<QuestionSettings> = {}) {
  const question_id = ++ids
  // Keys consist of letters, so the digits of the number are written as letters.
  const question_key = `q_${[...String(question_id)].map(digit => 'abcdefghij'[Number(digit)]).join('')}`
  const whole: VersionQuestion = {
    question_id,
    question_version_id: question_id,
    admin_name: question_key.replaceAll('_', ' '),
    question_key,
    kind,
    enumerator_id: parent?.question_id ?? null,
    settings: { text: 'What?', ...settings },
  }
  return whole
}

/** Nested enumerators with some questions in each, all of which allow the maximum. */
function nested(depth: number): VersionQuestion[] {
  const questions: VersionQuestion[] = []
  let parent: VersionQuestion | null = null
  for (let level = 0; level < depth; level++) {
    const enumerator: VersionQuestion = question('ENUMERATOR', parent, { min_count: million })
    questions.push(
      enumerator,
      question('NAME', enumerator),
      question('TEXT', enumerator, { min_length: million }),
      question('FILE_UPLOAD', enumerator, { min_count: million }),
    )
    parent = enumerator
  }
  return questions
}

const many = (count: number, make: (n: number) => VersionQuestion): VersionQuestion[] =>
  Array.from({ length: count }, (_, n) => make(n))

const options = (count: number, textLength: number): QuestionSettings['options'] =>
  Array.from({ length: count }, (_, n) => ({ admin_id: `option-${n}`, text: 'x'.repeat(textLength) }))

let versions = 0
function version(questions: VersionQuestion[]): DocumentableVersion {
  const placements = questions.map(({ question_id }) => ({ question_id, optional: false, visible_when: null }))
  return {
    program_version_id: ++versions,
    slug: 'greedy',
    display_name: 'Greedy',
    statuses: ['Approved'],
    questions,
    screens: [{ name: 'All', visible_when: null, questions: placements }],
  }
}

/** The versions of a program, newest last. */
const programs: Readonly<Record<string, () => DocumentableVersion[]>> = {
  'at the bound': () => [version(nested(20))],
  'beyond the bound': () => [version(nested(30))],
  'far beyond the bound': () => [version(nested(500))],
  'two thousand addresses': () => [version(many(2000, () => question('ADDRESS', null, { correct_addresses: true })))],
  'two hundred thousand options': () => [
    version(many(40, () => question('CHECKBOX', null, { min_count: 5000, options: options(5000, 20) }))),
  ],
  'texts of ten thousand characters': () => [
    version(many(400, () => question('TEXT', null, { text: '<&"\''.repeat(2500), min_length: million }))),
  ],
  'twenty thousand questions in fifty versions': () =>
    Array.from({ length: 50 }, () => version(many(400, () => question('NAME', null)))),
  'long texts that change in each of sixty versions': () => {
    const asked = many(400, () => question('TEXT', null))
    return Array.from({ length: 60 }, (_, n) =>
      version(asked.map(question => ({ ...question, settings: { text: `${n} ${'<&"\''.repeat(500)}` } }))),
    )
  },
  'enumerators by the thousand': () => {
    const outer = many(30, () => question('ENUMERATOR', null, { min_count: million }))
    const inner = outer.flatMap(item => many(30, () => question('ENUMERATOR', item, { min_count: million })))
    return [version([...outer, ...inner, ...inner.flatMap(item => many(2, () => question('NAME', item)))])]
  },
}

const [name = ''] = process.argv.slice(2)
const all = programs[name]!()
const docs = versionDocs(all.at(-1)!, all.slice(0, -1), { timeZone: 'UTC' })
const { example, key_map: keyMap, left_out, slug, display_name, program_version_id } = docs
const schema = responseSchema(keyMap, { slug, id: 'urn:tributary:test:greedy' })
const openApi = programOpenApi({
  slug,
  display_name,
  program_version_id,
  keyMap,
  baseUrl: 'https://example.org',
  example: JSON.parse(example),
})
const place = { baseUrl: 'https://example.org', root: '', timeZone: 'UTC' }
const program = {
  program_id: 1,
  slug,
  display_name,
  statuses: [],
  created_at: 0,
  origin_name: null,
  intake_state: 'OPEN' as const,
}
const languages = { language: 'en', languages: ['en'] }
const generated = { docs, state: 'ACTIVE' as const, ...languages, since: 0, generated_at: 0, failed_at: null }
const view = viewProgram(program, [generated], place)
const config = { apply: false, installationName: '', environment: 'development' as const, timeZone: 'UTC' }
const context = pageContext(place, config, new Request('https://example.org/'), 0)
const reader = { username: undefined, isKey: true, mayExport: true, maySubmit: true }
const shown = ProgramPage({ reader, program: view, shown: view.versions[0] })
const page = await (await pageResponse({ context, fields: {} }, shown)).text()
console.log(
  JSON.stringify({
    example: example.length,
    schema: JSON.stringify(schema, null, 2).length,
    openApi: JSON.stringify(openApi, null, 2).length,
    kept: JSON.stringify(docs).length,
    json: JSON.stringify(view).length,
    page: page.length,
    questions: docs.questions.length,
    changes: docs.questions.reduce((sum, { history }) => sum + history.changes.length + history.earlier, 0),
    left_out,
    // Compiling the longest schemas takes the validator a gigabyte.
    errors: JSON.stringify(schema).length > 500_000 ? [] : schemaErrors(schema, JSON.parse(example)).slice(0, 3),
  }),
)
