// The editor of a program: its page, the document it opens, and similar questions in the question bank.

/** @jsxImportSource preact */

import { type BankEntry, readBankEntries, readEntriesWithWords } from '../../../db/programs/program-overviews.ts'
import { readBankQuestions } from '../../../db/programs/questions.ts'
import { namesFor } from '../../../domain/definitions/question-names.ts'
import { describeForEditing } from '../../../domain/definitions/version-definition.ts'
import { foldedKeyOf } from '../../../domain/questions/question-key.ts'
import { similarity, tellingWords } from '../../../domain/readable/similar-texts.ts'
import { usePage } from '../../html/page-context.ts'
import { WholePage } from '../../html/shell.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { findVisibleProgram, isOvertaken, loadProgramInView, type ProgramInView } from '../programs/program-in-view.ts'
import { type ProgramPageProps, pathOfProgram } from '../programs/program-shell.tsx'
import { type Action, action, administrators, editing, type Part, reads } from '../requests/action.ts'
import { programForEditingAnswer, similarQuestionsAnswer } from '../requests/answer-schemas.ts'
import { textOf } from '../requests/route-parameters.ts'

export const editingActions = (deps: Deps): Part => [
  openAction(deps),
  similarAction(deps),
  editing({
    method: 'GET',
    path: '/admin/programs/:slug/edit',
    answer: async ({ person, params }) => {
      const { program } = await loadProgramInView(deps.consoleDb, person, params.slug!)
      return <EditorPage program={program} />
    },
  }),
]

function EditorPage({ program }: ProgramPageProps) {
  const { root, csrf, person } = usePage()
  const path = pathOfProgram(program.slug)
  return (
    <WholePage title={`Edit · ${program.display_name}`} scripts={['/assets/editor.js']} styles={['/assets/editor.css']}>
      <div
        id="editor"
        data-root={root}
        data-slug={program.slug}
        data-csrf={csrf}
        data-person={String(person!.person_id)}
      >
        <main id="content" class="plain" tabIndex={-1}>
          <h1 dir="auto">{program.display_name}</h1>
          <p class="opening">Opening the editor…</p>
          <noscript>
            <p>
              The editor needs JavaScript. Without it, <a href={`${path}/document`}>edit the program as a document</a>.
            </p>
          </noscript>
          <p>
            <a href={`${path}/questions`}>Back to questions</a>
          </p>
        </main>
      </div>
    </WholePage>
  )
}

const openAction = ({ consoleDb: db, config }: Deps): Action =>
  action({
    name: 'openProgram',
    route: 'GET /programs/:slug/editing',
    summary: 'Read the document for a program’s editor',
    answers:
      'The draft as a document, or the active version if there is no draft; the person who saved it; and the questions whose kind, key and option IDs are fixed.',
    answered: programForEditingAnswer,
    ...reads('programs'),
    roles: administrators,
    run: async ({ person, params }) => {
      const view = await loadProgramInView(db, person, params.slug!)
      const { current, active, draft, changes } = view
      return {
        document: describeForEditing(current),
        made_by: current.published_by ?? current.created_by,
        made_at: current.published_at ?? current.created_at,
        is_draft: draft !== undefined,
        active_version_number: active?.version_number ?? null,
        is_overtaken: isOvertaken(view),
        changes,
        fixed_questions: await fixedQuestions(db, view),
        enumerator_depth_max: config.enumeratorDepthMax,
      }
    },
  })

const usedElsewhere = ({ uses }: BankEntry, slug: string): string[] => [
  ...new Set(uses.filter(use => use.slug !== slug).map(({ display_name }) => display_name)),
]

/** The program's questions that would exist without its draft. */
async function fixedQuestions(db: Deps['consoleDb'], { program, current }: ProgramInView) {
  const admin_names = current.questions.map(({ admin_name }) => admin_name)
  const entries = new Map((await readBankEntries(db, admin_names)).map(bankEntry => [bankEntry.admin_name, bankEntry]))
  const banked = await readBankQuestions(db, { admin_names, question_keys_folded: [] })
  return banked.flatMap(({ admin_name, published, settings }) => {
    const entry = entries.get(admin_name)
    if (entry === undefined) return []
    const used_by = usedElsewhere(entry, program.slug)
    const option_ids = published ? (settings.options ?? []).map(({ admin_id }) => admin_id) : []
    return published || used_by.length > 0 ? [{ admin_name, option_ids, used_by }] : []
  })
}

/** Maximum number of questions compared with a text, and of those suggested. */
const comparedMax = 200
const offeredMax = 3
/** The share of meaningful words that similar texts have in common. */
const similarFrom = 0.6

const similarAction = ({ consoleDb: db }: Deps): Action =>
  action({
    name: 'findSimilarQuestions',
    route: 'GET /programs/:slug/similar-questions',
    summary: 'Find similar questions in the question bank',
    answers:
      'Existing questions that ask something similar, most similar first, and which question keys derived from this text are already taken.',
    answered: similarQuestionsAnswer,
    ...reads('programs'),
    roles: administrators,
    query: { text: 'The text of the new question. Required.' },
    run: async request => {
      const program = await findVisibleProgram(db, request.person, request.params.slug!)
      const text = textOf(request, 'text')
      const names = namesFor(text, program.display_name)
      const keys = names.map(foldedKeyOf)
      const words = tellingWords(text).sort((a, b) => b.length - a.length)
      const similar = await readEntriesWithWords(db, words.slice(0, 3), comparedMax)
      const taken = await readBankQuestions(db, { admin_names: names, question_keys_folded: keys })
      const named = await readBankEntries(
        db,
        taken.map(({ admin_name }) => admin_name),
      )
      const isOurs = (name: string): boolean =>
        named.some(({ admin_name, uses }) => admin_name === name && uses.every(({ slug }) => slug === program.slug))
      return {
        items: similar
          .map(entry => ({ entry, alike: similarity(entry.settings.text, text) }))
          .filter(({ entry, alike }) => alike >= similarFrom && usedElsewhere(entry, program.slug).length > 0)
          .sort((a, b) => b.alike - a.alike)
          .slice(0, offeredMax)
          .map(({ entry }) => ({
            admin_name: entry.admin_name,
            kind: entry.kind,
            enumerator: entry.enumerator,
            text: entry.settings.text,
            used_by: usedElsewhere(entry, program.slug),
          })),
        // Names that only this program's draft uses are available.
        taken_keys: taken
          .filter(({ admin_name, published }) => published || !isOurs(admin_name))
          .map(({ question_key_folded }) => question_key_folded),
      }
    },
  })
