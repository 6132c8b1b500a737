// The question bank: every question, and which programs ask it.

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
      lead="Every question of every program. Programs share them: a change to one reaches each program that asks it, when it is published."
    >
      <SearchForm path={path} label="Find a question" hint="Name, key or text" />
      <Table
        caption="Questions"
        rows={items}
        empty={
          isPart(query)
            ? 'No question matches. Try another word.'
            : 'There is no question yet. They come with the first program.'
        }
        columns={[
          {
            head: 'Question',
            cell: one => (
              <Named
                href={`${path}/${one.question_id}`}
                name={one.settings.text}
                small={
                  <>
                    <code>{one.admin_name}</code>
                    {one.enumerator !== null && ` in each of ${one.enumerator}`}
                  </>
                }
              />
            ),
          },
          { head: 'Type', cell: one => <span class="kind">{kindLabel(one.kind)}</span> },
          { head: 'Asked by', cell: one => <Uses uses={one.uses} most={4} /> },
        ]}
      />
      <Pages path={path} next={next} what="questions" />
    </Shell>
  )
}

/** Where a question is asked, by program. */
const programsOf = (uses: readonly QuestionUse[]): QuestionUse[][] => [
  ...Map.groupBy(uses, ({ slug }) => slug).values(),
]

/** A program that asks a question. Where its active version does, which comes first, a draft that does is nothing new. */
const Asking = ({ uses: [use] }: { uses: readonly QuestionUse[] }) => (
  <>
    <a href={`${pathOfProgram(use!.slug)}/questions`} dir="auto">
      {use!.display_name}
    </a>{' '}
    {use!.state === 'DRAFT' && <Badge tone="attention">draft</Badge>}
  </>
)

function Uses({ uses, most }: { uses: readonly QuestionUse[]; most: number }) {
  if (uses.length === 0) return <span class="soft">no program now</span>
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
      lead="As it is asked now. It is changed in a program that asks it."
    >
      <div class="columns">
        <section class="card">
          <h2>The question</h2>
          <Facts
            facts={[
              ['Name for administrators', question.admin_name],
              [
                'Key',
                question.kind === 'STATIC' ? undefined : (
                  <>
                    <code>{question.question_key}</code>, which never changes: clients rely on it
                  </>
                ),
              ],
              ['Type', <span class="kind">{kindLabel(question.kind)}</span>],
              ['Repeated', question.enumerator === null ? undefined : `in each of ${question.enumerator}`],
              ['Help', settings.help],
              ['Bounds', bounds === '' ? undefined : bounds],
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
      <h2>Asked by</h2>
      {question.uses.length === 0 ? (
        <p class="soft">No active version and no draft. It stays in the exports of programs that once asked it.</p>
      ) : (
        <ul class="plain-list">
          {programsOf(question.uses).map(uses => (
            <li>
              <Asking uses={uses} />
              {uses
                .filter(({ version_number }) => version_number !== question.version_number)
                .map(({ state, version_number }) => (
                  <small>
                    {state === 'DRAFT' ? 'its draft' : 'its active version'} has wording {version_number}
                  </small>
                ))}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
