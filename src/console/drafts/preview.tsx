// A draft, or any version, as an applicant meets it: screen by screen, with intake's own check of questions and answers.
// The answers are in the form alone. Nothing is stored.

/** @jsxImportSource preact */

import type { StoredProgramVersion } from '../../db/programs/programs.ts'
import type { ProgramVersion } from '../../domain/questions/program-version.ts'
import { type Json, JsonNumber, type JsonObject, pointerTo } from '../../domain/values/json-text.ts'
import { ActionForm, ErrorSummary, Submit } from '../../html/fields.tsx'
import { readingRoles } from '../../html/navigation.ts'
import { LinkButton, Notice } from '../../html/parts.tsx'
import type { Deps } from '../../http/server/deps.ts'
import { type AskedQuestion, questionnaireOf } from '../../intake/checking/asked-questions.ts'
import { type AskedPlace, askedWith } from '../../intake/checking/check-all.ts'
import type { ProblemItem } from '../../problem.ts'
import { findVersionOf, findVisibleProgram, versionName } from '../programs/program-in-view.ts'
import { type ProgramPageProps, ProgramShell, pathOfProgram } from '../programs/program-shell.tsx'
import { type PageRoute, pageAt, showForm } from '../requests/action.ts'
import type { PageVisit } from '../requests/visit.ts'
import { linesOf } from './draft-editing.tsx'
import { inputsOf, QuestionFields } from './question-as-seen.tsx'

const path = '/admin/programs/:slug/versions/:versionId/preview'

export function previewPages({ consoleDb: db }: Deps): PageRoute[] {
  const show = async (visit: PageVisit) => {
    const program = await findVisibleProgram(db, visit.person, visit.params.slug!)
    const version = await findVersionOf(db, program, visit.params.versionId!)
    const { values } = visit.context.form
    const { asked, errors } = askedWith(version, answersIn(values, questionnaireOf(version).top, ''))
    const shown = screenShown(version, asked, errors, values)
    const atFields = shown.stays ? errorsAt(shown.places, errors) : []
    visit.context = { ...visit.context, form: { values, errors: atFields } }
    return <PreviewPage program={program} version={version} values={values} shown={shown} />
  }
  return [
    pageAt(path, readingRoles, show),
    {
      method: 'POST',
      path,
      roles: readingRoles,
      answer: visit => showForm(visit, { values: visit.form, errors: [] }, show),
      again: show,
    },
  ]
}

interface Shown {
  /** Its index; that of no screen once all were seen. */
  screen: number
  /** Whether none is asked before it. */
  isFirst: boolean
  places: readonly AskedPlace[]
  /** Whether it was shown before this. */
  stays: boolean
  /** Whether an answer on it asks for more on the same screen. */
  unseen: boolean
}

/** Where the buttons lead: on, once a screen has shown all its questions and the answers are right; else back to it. */
function screenShown(
  { screens }: ProgramVersion,
  asked: readonly AskedPlace[],
  errors: readonly ProblemItem[],
  values: URLSearchParams,
): Shown {
  const screenOf = new Map(
    screens.flatMap((one, i) => one.questions.map(({ question_id }) => [question_id, i] as const)),
  )
  const on = (screen: number) => asked.filter(({ asked }) => screenOf.get(asked.question.question_id) === screen)
  const open = [...screens.keys()].filter(screen => on(screen).length > 0)
  const at = values.has('screen') ? Number(values.get('screen')) : (open[0] ?? 0)
  const seen = new Set((values.get('shown') ?? '').split(' '))
  const unseen = values.has('screen') && on(at).some(({ path }) => !seen.has(path))
  const go = values.get('go')
  const back = open.findLast(screen => screen < at) ?? at
  const next = open.find(screen => screen > at) ?? screens.length
  const held = unseen || errorsAt(on(at), errors).length > 0
  const screen = go === 'back' ? back : go === 'next' && !held ? next : at
  const stays = values.has('screen') && screen === at
  return { screen, isFirst: screen === open[0], places: on(screen), stays, unseen: unseen && stays }
}

/** What is wrong on a screen, each at its field. */
function errorsAt(places: readonly AskedPlace[], errors: readonly ProblemItem[]): ProblemItem[] {
  const names = places.flatMap(namesOf)
  return errors.flatMap(({ path = '', code, detail }) => {
    const parameter = names.find(name => `${path}/`.startsWith(`${name}/`))
    return parameter === undefined ? [] : [{ parameter, code, detail }]
  })
}

/** What was filled in, as a front end would send it. */
function answersIn(
  form: URLSearchParams,
  questions: ReadonlyMap<string, AskedQuestion>,
  path: string,
): Map<string, Json> {
  return new Map(
    [...questions].flatMap(([key, { type, children }]): [string, Json][] => {
      if (type === undefined) return []
      const at = pointerTo(path, key)
      if (type === 'ENUMERATOR') {
        const names = linesOf(form.get(`${at}/entities`) ?? '')
        const entities = names.map(
          (name, i): JsonObject => answersIn(form, children, `${at}/entities/${i}`).set('entity_name', name),
        )
        return [[key, new Map<string, Json>([['entities', entities]])]]
      }
      const fields = inputsOf(type).map(({ name, form: kind }): [string, Json] => {
        const [one = '', ...more] = form.getAll(`${at}/${name}`).map(text => text.trim())
        if (kind === 'option_list' || kind === 'text_list') return [name, one === '' ? [] : [one, ...more]]
        return [name, one === '' ? null : kind === 'number' && /^-?\d+(\.\d+)?$/.test(one) ? new JsonNumber(one) : one]
      })
      const answered = new Map(fields)
      // A number without its country is taken as one of the United States.
      if (type === 'PHONE' && !String(answered.get('phone_number') ?? '+').startsWith('+'))
        answered.set('country', 'US')
      return [[key, answered]]
    }),
  )
}

/** The names of the fields of a question. */
const namesOf = ({ asked: { type }, path }: AskedPlace): string[] =>
  type === undefined
    ? []
    : type === 'ENUMERATOR'
      ? [`${path}/entities`]
      : inputsOf(type).map(({ name }) => `${path}/${name}`)

interface PreviewProps extends ProgramPageProps {
  version: StoredProgramVersion
  values: URLSearchParams
  shown: Shown
}

function PreviewPage(props: PreviewProps) {
  const { program, version, values } = props
  const { screen, places, unseen, isFirst } = props.shown
  const at = `${pathOfProgram(program.slug)}/versions/${version.program_version_id}/preview`
  const asked = version.screens[screen]
  const here = new Set(places.flatMap(namesOf))
  const kept = [...values].filter(([name]) => name.startsWith('/') && !here.has(name))
  return (
    <ProgramShell
      program={program}
      tab={version.state === 'DRAFT' ? 'questions' : 'versions'}
      title={`Preview of ${versionName(version).toLowerCase()}`}
    >
      <p class="soft">As an applicant meets it. Nothing that is filled in here is stored.</p>
      <ErrorSummary title="An applicant would have to look at this again" />
      {unseen && <Notice tone="info">What was answered asks for more on this screen.</Notice>}
      <section class="card narrow">
        <ActionForm action={at}>
          <input type="hidden" name="screen" value={String(screen)} />
          {kept.map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="shown" value={places.map(({ path }) => path).join(' ')} />
          <h2 dir="auto">{asked?.name ?? 'That is all'}</h2>
          {asked === undefined && <p>The applicant now submits the application.</p>}
          {places.map(place => (
            <Question place={place} values={values} />
          ))}
          <div class="actions">
            {asked !== undefined && <Submit name="go" value="next" text="Next" />}
            {!isFirst && <Submit look="plain" name="go" value="back" text="Back" />}
            <LinkButton href={at} text="Start again" />
          </div>
        </ActionForm>
      </section>
    </ProgramShell>
  )
}

function Question({ place, values }: { place: AskedPlace; values: URLSearchParams }) {
  const { asked, path } = place
  const { question, optional, type } = asked
  const { text } = question.settings
  const [, list, index] = /^(.*)\/entities\/(\d+)\/[^/]*$/.exec(path) ?? []
  const entity = list === undefined ? undefined : linesOf(values.get(`${list}/entities`) ?? '')[Number(index)]
  return (
    <QuestionFields
      kind={question.kind}
      settings={question.settings}
      optional={optional}
      path={path}
      label={type === undefined || entity === undefined ? text : `${entity}: ${text}`}
    />
  )
}
