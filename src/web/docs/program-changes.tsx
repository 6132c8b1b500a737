// The section of a program's docs that lists the changes in a version, and the page that lists those of all versions.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { VersionChange } from '../../domain/comparison/version-diff.ts'
import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import { counted, figures } from '../html/components.tsx'
import { SidePage } from './components/side-page.tsx'
import { ChangeDetail, languageQuery, useTextLanguage } from './components/text-language.tsx'
import { docsPath, numberOf, type ShownVersion, type VersionView } from './program-view.ts'
import { anchorOf } from './question-list.tsx'

const countChanges = ({ changes, left_out }: VersionView): number => changes.length + left_out.changes

export function changesOf(version: VersionView): string {
  const count = countChanges(version)
  return count === 0 ? 'no changes' : `${figures(count)} change${count === 1 ? '' : 's'}`
}

/** Questions whose docs differ between the draft and the active version, or that a change refers to. */
export function changedQuestions(draft: VersionView, active: VersionView): QuestionDocs[] {
  const before = new Map(active.questions.map(question => [question.path, compareText(question)]))
  const subjects = new Set(draft.changes.map(({ subject }) => subject))
  return draft.questions.filter(
    question => subjects.has(question.admin_name) || before.get(question.path) !== compareText(question),
  )
}

/** Everything that the docs contain about a question, except since when and from what. */
const compareText = (question: QuestionDocs): string =>
  JSON.stringify(question, (name, value: unknown) => (name === 'versions' || name === 'history' ? undefined : value))

export function Changes({ version, path }: { version: VersionView; path: string }): VNode {
  const { changed_since_number: before, changes, left_out, state } = version
  const groups = new Map<string, VersionChange[]>()
  for (const change of changes) groups.set(change.subject, [...(groups.get(change.subject) ?? []), change])
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{state === 'DRAFT' ? 'Changes in the draft' : 'Changes in this version'}</h2>
      {before === null ? (
        <p>This is the first version of the program.</p>
      ) : changes.length === 0 ? (
        <p>No changes since version {before}.</p>
      ) : (
        <>
          <p>Changes since version {before}:</p>
          <dl class="terms">
            {[...groups].map(([subject, all]) => (
              <div>
                <dt>
                  <Subject version={version} name={subject} />
                </dt>
                <dd>
                  {all.map(({ detail }) => (
                    <p>
                      <ChangeDetail detail={detail} />
                    </p>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          {left_out.changes > 0 && <p>{figures(left_out.changes)} more changes are not shown.</p>}
        </>
      )}
      {before !== null && (
        <p>
          <a href={`${path}/versions/${version.program_version_id}/changes${languageQuery(version)}`}>
            Question changes by version
          </a>
        </p>
      )}
    </section>
  )
}

/** Subject of a change, as a link if it is a question in the export. */
function Subject({ version, name }: { version: VersionView; name: string }): VNode {
  if (name === '') return <span>The program</span>
  const question = version.questions.find(({ admin_name }) => admin_name === name)
  return question === undefined ? <span>{name}</span> : <a href={`#${anchorOf(question)}`}>{name}</a>
}

/** How the questions changed from version to version, newest first. */
export function ChangesPage({ program, shown }: ShownVersion): VNode {
  const { history_since: since } = shown
  const earlier = shown.questions.reduce((sum, { history }) => sum + history.earlier, 0)
  return (
    <SidePage
      path={docsPath(program.slug)}
      program={program}
      shown={shown}
      step="changes"
      title="Question changes"
      lead="When each question was added, changed or removed, newest version first."
    >
      {[...Map.groupBy(changesOfQuestions(shown.questions), ({ version }) => version)]
        .sort(([a], [b]) => b - a)
        .map(([number, changes]) => (
          <section aria-labelledby={`version-${number}`}>
            <h2 id={`version-${number}`}>
              {number === numberOf(shown) && shown.version_number === null ? 'Draft' : `Version ${number}`}
            </h2>
            <dl class="terms">
              {[...Map.groupBy(changes, ({ question }) => question)].map(([question, all]) => (
                <div>
                  <dt>
                    <code>{question.question_key}</code> <QuestionText text={question.text} />
                  </dt>
                  <dd>
                    {all.map(({ detail }) => (
                      <p>
                        <ChangeDetail detail={detail} />
                      </p>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      {earlier > 0 && <p>{counted(earlier, 'earlier change')} not shown.</p>}
      {since > 1 && <p>Changes before version {since} are not shown.</p>}
    </SidePage>
  )
}

function QuestionText({ text }: { text: string }) {
  return (
    <span class="soft" {...useTextLanguage()}>
      {text}
    </span>
  )
}

interface QuestionChange {
  version: number
  question: QuestionDocs
  detail: string
}

/** The changes of each version to questions, in the order of the docs. */
const changesOfQuestions = (questions: readonly QuestionDocs[]): QuestionChange[] =>
  questions.flatMap(question => [
    { version: question.first_version, question, detail: 'Question added.' },
    ...question.history.changes.map(({ version, detail }) => ({ version, question, detail })),
  ])
