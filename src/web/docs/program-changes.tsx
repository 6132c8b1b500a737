// The section of a program's docs that lists the changes in a version.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { VersionChange } from '../../domain/comparison/version-diff.ts'
import type { QuestionDocs } from '../../domain/samples/version-docs.ts'
import { figures } from '../html/components.tsx'
import type { VersionView } from './program-view.ts'
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

/** Everything that the docs contain about a question, except the versions of its options. */
const compareText = (question: QuestionDocs): string =>
  JSON.stringify(question, (name, value: unknown) => (name === 'versions' ? undefined : value))

export function Changes({ version }: { version: VersionView }): VNode {
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
                    <p dir="auto">{detail}</p>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          {left_out.changes > 0 && <p>{figures(left_out.changes)} more changes are not shown.</p>}
        </>
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
