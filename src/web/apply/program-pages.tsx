// The first pages for applicants: the list of open programs, and a page for each.

/** @jsxImportSource preact */

import { readPrograms } from '../../db/programs/programs.ts'
import { type ApplyRequest, clientsPath, setCookie } from './apply-request.ts'
import { LinkLine, linkTo, Notice, ProgramText, showApply } from './apply-shell.tsx'
import { savedForm } from './form-steps.ts'
import { programOf, savedIn } from './program-in-form.ts'
import { readProgramTexts } from './texts-in-language.ts'

export async function getPrograms(request: ApplyRequest): Promise<Response> {
  const { pages } = request.texts
  const programs = (await readPrograms(request.deps.db)).filter(
    ({ active_version_id, intake_state, origin_name }) =>
      active_version_id !== null && intake_state === 'OPEN' && origin_name === null,
  )
  const texts = await readProgramTexts(request)
  const link = (path: string, text: string) => <LinkLine request={request} path={path} text={text} />
  const body = (
    <>
      {request.url.searchParams.has('finished') && <Notice name="finished">{pages.cleared}</Notice>}
      <h1>{pages.programs}</h1>
      {programs.length === 0 && <p>{pages.noPrograms}</p>}
      <ul class="programs">
        {programs.map(({ slug, program_id }) => {
          const { name, languageOf } = texts.get(program_id)!
          return (
            <li>
              <a class="program" href={linkTo(request, `/apply/${slug}`)} dir="auto" lang={languageOf(name)}>
                {name}
              </a>
            </li>
          )
        })}
      </ul>
      {request.session === undefined
        ? request.intermediary === undefined && link('/apply/-/return', pages.returnTitle)
        : link('/apply/-/applications', request.intermediary === undefined ? pages.mine : pages.theirs)}
    </>
  )
  return showApply(request, { title: pages.programs, body })
}

export async function getProgram(request: ApplyRequest): Promise<Response> {
  const program = await programOf(request)
  // From here on, somebody else may start.
  if (request.hasEnded) setCookie(request, 'tributary-apply', undefined)
  const { pages } = request.texts
  const { name, description, languageOf, path, intake_state, intake_text } = program
  const isOpen = intake_state === 'OPEN'
  const saved = await savedIn(request, program)
  const hasStarted = saved.create_time !== null
  const needsClient = request.intermediary !== undefined && request.session === undefined
  const startHint = request.intermediary === undefined ? pages.startHint : pages.savedForClient
  const isComplete = hasStarted && savedForm(program.known.version, saved.answers).errors.length === 0
  const text = hasStarted ? pages.resume : saved.last === undefined ? pages.start : pages.again
  const body = (
    <>
      <h1 dir="auto" lang={languageOf(name)}>
        {name}
      </h1>
      <ProgramText text={description} languageOf={languageOf} />
      {isOpen ? (
        <>
          <p>{saved.last !== undefined && !hasStarted ? pages.againHint : startHint}</p>
          <p>
            <a
              class="button"
              href={linkTo(request, needsClient ? clientsPath : `${path}/${isComplete ? 'check' : 'screens/1'}`)}
            >
              {needsClient ? pages.chooseClient : text}
            </a>
          </p>
        </>
      ) : (
        <div class="notice" role="status" data-notice={intake_state}>
          <p>{intake_state === 'PAUSED' ? pages.paused : pages.closed}</p>
          {intake_text !== null && <p dir="auto">{intake_text}</p>}
        </div>
      )}
      {request.session === undefined && !needsClient && (
        <LinkLine request={request} path="/apply/-/return" text={pages.returnTitle} />
      )}
      <LinkLine request={request} path="/apply" text={pages.programs} />
    </>
  )
  return showApply(request, { title: name, body })
}
