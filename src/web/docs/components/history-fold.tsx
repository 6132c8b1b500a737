// Shows how a question changed across the versions of its program: folded in the list of questions.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../../domain/samples/question-docs.ts'
import { counted } from '../../html/components.tsx'
import { ChangeDetail } from './text-language.tsx'

export function HistoryFold({ question }: { question: QuestionDocs }): VNode {
  const { changes, earlier } = question.history
  const lifetime = lifetimeOf(question)
  if (changes.length + earlier === 0) return <p class="soft history">{lifetime}</p>
  return (
    <details class="history">
      <summary>
        {lifetime} · {counted(changes.length + earlier, 'change')}
      </summary>
      <ul>
        {changes.map(change => (
          <li>
            Version {change.version}: <ChangeDetail detail={change.detail} />
          </li>
        ))}
      </ul>
      <Earlier count={earlier} />
    </details>
  )
}

const lifetimeOf = ({ first_version, last_version }: QuestionDocs): string =>
  `Added in version ${first_version}${last_version === null ? '' : `, last asked in version ${last_version}`}`

const Earlier = ({ count }: { count: number }): VNode | null =>
  count === 0 ? null : <p class="soft">And {counted(count, 'earlier change')}.</p>
