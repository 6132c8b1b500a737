// The questions of an export as a table: key, paths of the answer's fields, option ids.
// It must not know which version they are of, beyond its number.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../domain/invented/version-docs.ts'
import { ScrollBox } from './docs-shell.tsx'

export function QuestionTable({ questions, versionId }: { questions: readonly QuestionDocs[]; versionId: number }) {
  if (questions.length === 0) return <p>No question with an answer was ever in this program.</p>
  const caption = `Every question ever in the program, as of version ${versionId}`
  return (
    <ScrollBox label={caption}>
      <table class="questions">
        <caption>
          <span>{caption}</span>
        </caption>
        <thead>
          <tr>
            <th scope="col">Question key and type</th>
            <th scope="col">Path and fields of the answer</th>
            <th scope="col">Option IDs</th>
          </tr>
        </thead>
        <tbody>
          {questions.map(question => (
            <Row question={question} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

function Row({ question }: { question: QuestionDocs }): VNode {
  const { question_key, question_type, path, text, asked, depth, fields, options } = question
  return (
    <tr>
      <th scope="row" class={`depth-${Math.min(depth, 4)}`}>
        <code class="name">{question_key}</code> <span class="type">{question_type}</span>
        {!asked && <span class="badge retired">not asked any more</span>}
        <p class="text">{text}</p>
      </th>
      <td>
        <code>{breakable(path)}</code>
        <ul class="plain fields">
          {fields.map(field => (
            <li>
              <code>{breakable(field.path.slice(path.length))}</code> <span class="kind">{field.type}</span>
            </li>
          ))}
        </ul>
      </td>
      <td>
        {options.length > 0 && (
          <ul class="plain">
            {options.map(option => (
              <li>
                <code>{option.id}</code> <span class="text">{option.text}</span>
                {option.retired && <span class="badge retired">retired</span>}
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  )
}

/** May be broken before a dot, and copied whole. */
function breakable(path: string): (string | VNode)[] {
  return path.split(/(?=\.)/).flatMap((step, i) => (i === 0 ? [step] : [<wbr />, step]))
}
