// A table of a version's questions to print or to share with colleagues, with a column for their comments.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../domain/samples/version-docs.ts'
import { ScrollBox } from '../html/secret.tsx'
import { Shell } from '../html/shell.tsx'
import { MarkdownLinks } from './components/markdown-links.tsx'
import type { ProgramView, VersionView } from './program-view.ts'

interface QuestionTableProps {
  program: ProgramView
  shown: VersionView
}

export function QuestionTablePage({ program, shown }: QuestionTableProps): VNode {
  const version = shown.version_number === null ? 'draft' : `version ${shown.version_number}`
  const path = `/docs/api/programs/${program.slug}`
  const here = `${path}/versions/${shown.program_version_id}/questions`
  const asked = shown.questions.filter(question => question.asked)
  return (
    <Shell
      title={`Questions · ${program.display_name}`}
      heading={`${program.display_name}: questions`}
      part="documentation"
      crumbs={[
        { text: 'Documentation', path: '/docs/api/programs' },
        { text: program.display_name, path },
        { text: 'Questions' },
      ]}
      styles={['/assets/docs.css']}
      scripts={['/assets/docs.js']}
      actions={<MarkdownLinks path={here} />}
      lead={`All questions of ${shown.version_number === null ? 'the draft' : version}, to print or to send to colleagues for comment.`}
    >
      <ScrollBox label="Questions">
        <table class="reference printed">
          <caption class="unseen">Questions: {version}</caption>
          <thead>
            <tr>
              {['No.', 'Question', 'Type', 'Asked when', 'Options and limits', 'Comments'].map(head => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {asked.map((question, i) => (
              <Row question={question} number={i + 1} isFirst={question.screen !== asked[i - 1]?.screen} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </Shell>
  )
}

/** `isFirst`: whether a screen begins with the question. */
function Row(props: { question: QuestionDocs; number: number; isFirst: boolean }): VNode {
  const { question, number, isFirst } = props
  const { text, question_key, question_type, screen, optional, depth, asked_when, bounds } = question
  const options = question.options.filter(({ retired }) => !retired)
  return (
    <tr>
      <td>{number}</td>
      <td class={`depth-${Math.min(depth, 4)}`}>
        {isFirst && screen !== null && depth === 0 && (
          <p class="soft" dir="auto">
            {screen}
          </p>
        )}
        <p dir="auto">
          <strong>{text}</strong>
        </p>
        <code>{question_key}</code>
      </td>
      <td>
        <code>{question_type}</code> {optional && 'optional'}
      </td>
      <td dir="auto">{asked_when.length === 0 ? 'always' : asked_when.join(', and ')}</td>
      <td>
        {bounds !== '' && <p>{bounds}</p>}
        {options.length > 0 && (
          <ul>
            {options.map(option => (
              <li dir="auto">
                {option.text} <code>{option.id}</code>
              </li>
            ))}
          </ul>
        )}
      </td>
      <td class="comment" />
    </tr>
  )
}
