// How to submit applications to a program, with commands that contain its address and sample answers.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { QuestionDocs } from '../../../domain/samples/question-docs.ts'
import { usePage } from '../../html/page-context.ts'
import { CommandSample } from '../components/run.tsx'
import { type GuidedProgram, loginOf, type Reader } from './get-started.tsx'

interface SubmittingProps {
  program: GuidedProgram
  reader: Reader
  questions: readonly QuestionDocs[]
  /** An export page with fictitious values. */
  example: unknown
}

/** Sample answers are enough to show the form of a body. */
const answersMax = 3

/** Four requests, for keys that can submit. */
export function Submitting({ program, reader, questions, example }: SubmittingProps): VNode | null {
  const { baseUrl } = usePage()
  if (!reader.maySubmit) return null
  const intake = `${baseUrl}/intake/v1`
  const applicant = `${intake}/programs/${program.slug}/applicants/<applicant_id>`
  const asJson = `-H 'Content-Type: application/json'`
  const command = (...options: string[]): string => ['curl', loginOf(reader), ...options].join(' \\\n  ')
  const answers = JSON.stringify({ answers: sampleAnswers(questions, example) }, null, 2).replaceAll("'", "'\\''")
  return (
    <section aria-labelledby="submitting">
      <h2 id="submitting">Submitting</h2>
      <p>Your key can submit applications. Read the questions of the active version, in the order they are asked:</p>
      <CommandSample
        id="submit-questions"
        what="Read the questions"
        code={command(`'${intake}/programs/${program.slug}'`)}
        run={{ url: `${intake}/programs/${program.slug}` }}
      />
      <p>
        Register each applicant once, for all programs. The response contains the <code>applicant_id</code>:
      </p>
      <CommandSample
        id="submit-applicant"
        what="Register an applicant"
        code={command(asJson, `-d '{"language": "en-US"}'`, `'${intake}/applicants'`)}
      />
      <p>
        Save the answers, all at once or screen by screen, in the same format as in exports. A validation error names
        each wrong answer by its path:
      </p>
      <CommandSample
        id="submit-answers"
        what="Save answers"
        code={command('-X PUT', asJson, `-d '${answers}'`, `'${applicant}/answers'`)}
      />
      <p>
        Submit the answers. Send a new <code>Idempotency-Key</code> for each application, and the same one when you
        repeat a request, so that only one application is created:
      </p>
      <CommandSample
        id="submit-application"
        what="Submit the application"
        code={command(
          asJson,
          `-H 'Idempotency-Key: <unique value>'`,
          `-d '{"submitter": {"type": "APPLICANT"}}'`,
          `'${applicant}/submissions'`,
        )}
      />
    </section>
  )
}

/** Answers of the example to questions that are always asked. */
function sampleAnswers(questions: readonly QuestionDocs[], example: unknown): Record<string, unknown> {
  const [first] = (example as { payload: { application: Record<string, unknown> }[] }).payload
  const keys = questions
    .filter(({ asked, depth, asked_when }) => asked && depth === 0 && asked_when.length === 0)
    .map(({ question_key }) => question_key)
    .filter(key => first?.application[key] !== undefined)
  return Object.fromEntries(keys.slice(0, answersMax).map(key => [key, first!.application[key]]))
}
