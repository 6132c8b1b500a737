// Pages of the question bank: every question, and the programs that use it.

/** @jsxImportSource preact */

import type { BankEntry, QuestionUse } from '../../../db/programs/program-overviews.ts'
import { boundsText } from '../../../domain/readable/question-bounds.ts'
import { kindLabel } from '../../../domain/readable/question-labels.ts'
import { Badge, Facts, Named, Table, When } from '../../html/components.tsx'
import { isPart, Pages, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import { pathOfProgram } from './program-shell.tsx'

const path = '/admin/questions'

export function BankPage({ items, next }: { items: readonly BankEntry[]; next: string | null }) {
  const { query } = usePage()
  return (
    <Shell
      title="Questions"
      part="questions"
      lead="All questions of all programs. Programs can share questions; publishing a change updates every program that uses the question."
    >
      <SearchForm path={path} label="Find a question" hint="Name, key or text" />
      <Table
        caption="Questions"
        rows={items}
        empty={
          isPart(query)
            ? 'No questions match. Change the search.'
            : 'No questions yet. Add them to a program, and they appear here.'
        }
        columns={[
          {
            head: 'Question',
            cell: question => (
              <Named
                href={`${path}/${question.question_id}`}
                name={question.settings.text}
                small={
                  <>
                    <code>{question.admin_name}</code>
                    {question.enumerator !== null && ` for each entry in “${question.enumerator}”`}
                  </>
                }
              />
            ),
          },
          { head: 'Type', cell: ({ kind }) => <span class="kind">{kindLabel(kind)}</span> },
          { head: 'Used in', cell: ({ uses }) => <Uses uses={uses} most={4} /> },
        ]}
      />
      <Pages path={path} next={next} what="questions" />
    </Shell>
  )
}

/** The uses of a question, grouped by program. */
const programsOf = (uses: readonly QuestionUse[]): QuestionUse[][] => [
  ...Map.groupBy(uses, ({ slug }) => slug).values(),
]

/** A program that uses a question. Its draft is only mentioned if the active version, which comes first, doesn't use it. */
const Asking = ({ uses: [use] }: { uses: readonly QuestionUse[] }) => (
  <>
    <a href={`${pathOfProgram(use!.slug)}/questions`} dir="auto">
      {use!.display_name}
    </a>{' '}
    {use!.state === 'DRAFT' && <Badge tone="attention">draft</Badge>}
  </>
)

function Uses({ uses, most }: { uses: readonly QuestionUse[]; most: number }) {
  if (uses.length === 0) return <span class="soft">not in any program</span>
  const programs = programsOf(uses)
  return (
    <>
      {programs.slice(0, most).map((uses, i) => (
        <>
          {i > 0 && '· '}
          <Asking uses={uses} />
        </>
      ))}
      {programs.length > most && <span class="soft">and {programs.length - most} more</span>}
    </>
  )
}

export function BankQuestionPage({ question }: { question: BankEntry }) {
  const { settings } = question
  const bounds = boundsText(settings)
  return (
    <Shell
      title={settings.text}
      part="questions"
      crumbs={[{ text: 'Questions', path }, { text: question.admin_name }]}
      lead="The current version of this question. To change it, edit a program that uses it."
    >
      <div class="columns">
        <section class="card">
          <h2>Question</h2>
          <Facts
            facts={[
              ['Admin name', question.admin_name],
              [
                'Key',
                question.kind === 'STATIC' ? undefined : (
                  <>
                    <code>{question.question_key}</code> (never changes, because connected systems rely on it)
                  </>
                ),
              ],
              ['Type', <span class="kind">{kindLabel(question.kind)}</span>],
              ['Repeated', question.enumerator === null ? undefined : `for each entry in “${question.enumerator}”`],
              ['Help', settings.help],
              ['Limits', bounds === '' ? undefined : bounds],
              ['Added', <When at={question.created_at} />],
            ]}
          />
          {settings.options !== undefined && (
            <ul class="options">
              {settings.options.map(({ admin_id, text }) => (
                <li>
                  {text} <code>{admin_id}</code>
                </li>
              ))}
            </ul>
          )}
        </section>
        <AskedBy question={question} />
      </div>
    </Shell>
  )
}

function AskedBy({ question }: { question: BankEntry }) {
  return (
    <section class="card">
      <h2>Used in</h2>
      {question.uses.length === 0 ? (
        <p class="soft">Not in any active version or draft. Exports of programs that used it still contain it.</p>
      ) : (
        <ul class="plain-list">
          {programsOf(question.uses).map(uses => (
            <li>
              <Asking uses={uses} />
              {uses
                .filter(({ version_number }) => version_number !== question.version_number)
                .map(({ state, version_number }) => (
                  <small>
                    {state === 'DRAFT' ? 'draft' : 'active version'} uses revision {version_number}
                  </small>
                ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
