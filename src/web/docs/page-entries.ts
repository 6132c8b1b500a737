// The list beside a program's docs: what is on the page, and where its other versions and files are.

import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import type { FindEntry, FindGroup } from './components/find-list.tsx'
import { languageQuery } from './components/text-language.tsx'
import { guideEntries } from './guide/pulling-guide.tsx'
import { changesOf } from './program-changes.tsx'
import { type ProgramView, questionsPath, titleOf, type VersionView, versionPath } from './program-view.ts'
import { findQuestions } from './question-list.tsx'

export const errorsEntry: FindEntry = { text: 'Errors', href: '#errors' }

export const reference = (entries: readonly FindEntry[]): FindGroup => ({ title: 'Reference', entries })

/** The list beside the page, in the order of the page. */
export function findGroups(
  program: ProgramView,
  shown: VersionView,
  questions: readonly QuestionDocs[],
  maySubmit = false,
): FindGroup[] {
  const draft = program.versions.find(version => version.state === 'DRAFT')
  const whole = shown.state === 'ACTIVE' || program.versions.length === 1
  const changes = {
    text: shown.changed_since_number === null ? 'First version' : `Changes since version ${shown.changed_since_number}`,
    href: '#changes',
  }
  return [
    ...(whole ? [{ title: 'Getting started', entries: guideEntries }] : []),
    ...findQuestions(questions, shown.language),
    reference([
      ...(whole ? [{ text: 'Metadata fields', href: '#metadata' }, errorsEntry] : []),
      ...(maySubmit && shown.state === 'ACTIVE' ? [{ text: 'Submitting', href: '#submitting' }] : []),
      changes,
      { text: 'Downloads', href: '#downloads' },
    ]),
    {
      title: 'Versions',
      entries: program.versions
        .filter(version => version !== shown)
        .map(version => ({
          text: version === draft ? `Draft: ${changesOf(version)}` : titleOf(version),
          href: versionPath(program, version) + languageQuery(shown),
        })),
    },
    {
      title: 'Copy',
      entries: [
        ...(whole ? [{ text: 'Code samples', href: '#samples' }] : []),
        { text: 'Example response', href: '#example' },
        {
          text: 'Question table',
          href: questionsPath(program, shown),
        },
        { text: 'JSON Schema', href: shown.response_schema_url },
        { text: 'OpenAPI 3.1', href: shown.openapi_url },
      ],
    },
  ]
}
