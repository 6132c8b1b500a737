// Previews a draft or any version as applicants see it: screen by screen, with intake's own checks of questions and answers. The answers
// exist only in the form; nothing is stored.

/** @jsxImportSource preact */

import type { VNode } from 'preact'
import type { ProgramOverview } from '../../../db/programs/program-overviews.ts'
import { findDraftVersion, type StoredProgramVersion } from '../../../db/programs/programs.ts'
import { defaultLanguageOf } from '../../../domain/languages/localized.ts'
import { elementsOf, type LanguageOf, languageOfTexts } from '../../../domain/languages/text-languages.ts'
import { LinkButton, NotDone, Notice, Words } from '../../html/components.tsx'
import { ActionForm, ErrorSummary, Submit } from '../../html/fields.tsx'
import { readingRoles } from '../../html/navigation.ts'
import type { Deps } from '../../http/server/deps.ts'
import { Said } from '../../questions/field-parts.tsx'
import { type FilledForm, fillForm, isFieldOf } from '../../questions/filled-form.ts'
import { en } from '../../questions/languages/en.ts'
import { ScreenQuestions } from '../../questions/screen-questions.tsx'
import { findVersionOf, findVisibleProgram, versionName } from '../programs/program-in-view.ts'
import { type ProgramPageProps, ProgramShell, pathOfProgram, previewPath } from '../programs/program-shell.tsx'
import { type PageRoute, pageAt, showForm } from '../requests/action.ts'
import { type PageRequest, redirect } from '../requests/console-request.ts'
import { EditLink, useEditor } from './edit-links.tsx'
import { missingIn, type ShownScreen, screenShown, valuesIn } from './preview-screens.ts'

const words = en.questions

const languageIn = (version: StoredProgramVersion): LanguageOf =>
  languageOfTexts(elementsOf(version), { page: 'en', tags: [], usual: defaultLanguageOf(version.details) })

/** Each saved draft is another version, but the address of its preview stays the same. */
export function previewPages({ consoleDb: db }: Deps): PageRoute[] {
  const showVersion = async (request: PageRequest) => {
    const program = await findVisibleProgram(db, request.person, request.params.slug!)
    return show(request, program, await findVersionOf(db, program, request.params.versionId!))
  }
  const showDraft = async (request: PageRequest) => {
    const program = await findVisibleProgram(db, request.person, request.params.slug!)
    const draft = await findDraftVersion(db, program.program_id)
    if (draft === undefined) return redirect(request, `${pathOfProgram(program.slug)}/questions?done=nodraft`)
    return show(request, program, draft)
  }
  return [
    ...bothWays('/admin/programs/:slug/versions/:versionId/preview', showVersion),
    ...bothWays('/admin/programs/:slug/draft/preview', showDraft),
  ]
}
const bothWays = (path: string, show: (request: PageRequest) => Promise<VNode | Response>): PageRoute[] => [
  pageAt(path, readingRoles, show),
  {
    method: 'POST',
    path,
    roles: readingRoles,
    answer: request => showForm(request, { values: request.form, errors: [] }, show),
    again: show,
  },
]

function show(request: PageRequest, program: ProgramOverview, version: StoredProgramVersion): VNode {
  const { values } = request.context.form
  const form = fillForm(version, valuesIn(values))
  // Once the end was reached with something missing, each screen requires it.
  const shown = screenShown(form, values.has('refused') ? form.errors : form.faults, values)
  const errors = shown.messages.map(({ field, error }) => ({ ...error, parameter: field }))
  request.context = { ...request.context, form: { values, errors } }
  const missing = shown.screen < version.screens.length ? [] : missingIn(form)
  return <PreviewPage program={program} version={version} values={values} form={form} shown={shown} missing={missing} />
}

interface PreviewProps extends ProgramPageProps {
  version: StoredProgramVersion
  values: URLSearchParams
  form: FilledForm
  shown: ShownScreen
  /** At the end: the errors that would prevent submitting. */
  missing: ReturnType<typeof missingIn>
}

const MoreAsked = () => (
  <Notice name="asks-more" tone="info">
    Your answers added more questions to this screen.
  </Notice>
)

function PreviewPage(props: PreviewProps) {
  const { program, version, values, form, missing } = props
  const { screen, places, messages, unseen, isFirst } = props.shown
  const at = previewPath(program.slug, version)
  const current = version.screens[screen]
  const edit = useEditor(program, version)
  const languageOf = languageIn(version)
  const paths = new Set(places.map(({ formPath }) => formPath))
  const kept = [...form.values].filter(([name]) => name.startsWith('/') && !isFieldOf(paths, name))
  const errors = new Map(messages.map(({ field, message }) => [field, message]))
  return (
    <ProgramShell
      program={program}
      tab={version.state === 'DRAFT' ? 'questions' : 'versions'}
      title={`Preview of ${versionName(version).toLowerCase()}`}
      scripts={['/assets/live-questions.js']}
    >
      <p class="soft">What applicants see. Nothing you enter here is stored.</p>
      <ErrorSummary title="Answers to fix before submitting" />
      {unseen && <MoreAsked />}
      <section class="card narrow">
        <ActionForm action={at}>
          <div id="kept" hidden>
            <input type="hidden" name="screen" value={String(screen)} />
            {kept.map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
            <input type="hidden" name="shown" value={[...paths].join(' ')} />
            {(missing.length > 0 || values.has('refused')) && <input type="hidden" name="refused" value="yes" />}
          </div>
          {missing.length > 0 ? (
            <Missing missing={missing} languageOf={languageOf} />
          ) : (
            <ScreenHeading version={version} screen={screen} edit={edit} languageOf={languageOf} />
          )}
          <ScreenQuestions
            view={{ values: form.values, errors, words, languageOf }}
            places={places}
            isLive
            beside={({ asked: { question } }, label) => (
              <EditLink href={edit?.({ of: 'question', name: question.admin_name })} what={label} />
            )}
          />
          <div class="actions">
            {current !== undefined && <Submit name="go" value="next" text={en.pages.next} />}
            {!isFirst && <Submit look="plain" name="go" value="back" text={en.pages.back} />}
            <LinkButton href={at} text="Start again" />
          </div>
        </ActionForm>
      </section>
    </ProgramShell>
  )
}

function ScreenHeading(props: {
  version: StoredProgramVersion
  screen: number
  edit: ReturnType<typeof useEditor>
  languageOf: LanguageOf
}) {
  const { version, screen, edit, languageOf } = props
  const { screens, display_name, details } = version
  const current = screens[screen]
  if (current === undefined)
    return (
      <>
        <h2>End of the application</h2>
        <p>Applicants submit the application here.</p>
        {details.confirmation !== undefined && (
          <p dir="auto" lang={languageOf(details.confirmation)}>
            {details.confirmation}
          </p>
        )}
      </>
    )
  return (
    <>
      <p class="soft">
        <bdi lang={languageOf(display_name)}>{display_name}</bdi> · Screen {screen + 1} of {screens.length}
      </p>
      <div class="previewed">
        <h2 dir="auto" lang={languageOf(current.name)}>
          {current.name}
        </h2>
        <EditLink href={edit?.({ of: 'screen', index: screen })} what={current.name} />
      </div>
      {current.description !== undefined && (
        <p dir="auto" lang={languageOf(current.description)}>
          {current.description}
        </p>
      )}
    </>
  )
}

function Missing({ missing, languageOf }: Pick<PreviewProps, 'missing'> & { languageOf: LanguageOf }) {
  return (
    <>
      <NotDone name="refused">
        <h2 dir="auto">Not ready to submit</h2>
        <p>An applicant would have to fix these answers before submitting.</p>
      </NotDone>
      {missing.map(({ screen, name, messages }) => (
        <>
          <h3 dir="auto" lang={languageOf(name)}>
            {name}
          </h3>
          <ul>
            {messages.map(({ label, place, error }) => (
              <li>
                <span dir="auto">
                  <Said text={label} language={languageOf(place.asked.question.settings.text)} />
                </span>{' '}
                <Words>{error.detail}</Words>
              </li>
            ))}
          </ul>
          <Submit look="plain" name="go" value={String(screen)} text={`Go to ${name}`} />
        </>
      ))}
    </>
  )
}
