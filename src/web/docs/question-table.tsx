// A table of a version's questions to print or to share with colleagues, with a column for their comments.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../domain/samples/question-docs.ts'
import { ScrollBox } from '../html/secret.tsx'
import { SidePage } from './components/side-page.tsx'
import { Quoting, useTextLanguage } from './components/text-language.tsx'
import { docsPath, type ShownVersion, versionName } from './program-view.ts'

export function QuestionTablePage({ program, shown }: ShownVersion): VNode {
  const version = versionName(shown)
  const asked = shown.questions.filter(question => question.asked)
  return (
    <SidePage
      path={docsPath(program.slug)}
      program={program}
      shown={shown}
      step="questions"
      title="Questions"
      lead={`All questions of ${version}, to print or to send to colleagues for comment.`}
    >
      <ScrollBox label="Questions">
        <table class="reference printed">
          <caption class="unseen">Questions of {version}</caption>
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
    </SidePage>
  )
}

/** `isFirst`: whether a screen begins with the question. */
function Row(props: { question: QuestionDocs; number: number; isFirst: boolean }): VNode {
  const { question, number, isFirst } = props
  const { text, question_key, question_type, screen, optional, depth, asked_when, bounds } = question
  const options = question.options.filter(({ retired }) => !retired)
  const inText = useTextLanguage()
  return (
    <tr>
      <td>{number}</td>
      <td class={`depth-${Math.min(depth, 4)}`}>
        {isFirst && screen !== null && depth === 0 && (
          <p class="soft" {...inText}>
            {screen}
          </p>
        )}
        <p {...inText}>
          <strong>{text}</strong>
        </p>
        <code>{question_key}</code>
      </td>
      <td>
        <code>{question_type}</code> {optional && 'optional'}
      </td>
      <td>{asked_when.length === 0 ? 'always' : <Quoting sentence={asked_when.join(', and ')} />}</td>
      <td>
        {bounds !== '' && <p>{bounds}</p>}
        {options.length > 0 && (
          <ul>
            {options.map(option => (
              <li>
                <bdi lang={inText.lang}>{option.text}</bdi> <code>{option.id}</code>
              </li>
            ))}
          </ul>
        )}
      </td>
      <td class="comment" />
    </tr>
  )
}
