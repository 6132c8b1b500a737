// The frame of every applicants' page: the city's name, languages, title, and a way to leave.

/** @jsxImportSource preact */

import { type ComponentChildren, type ComponentProps, h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { LanguageOf } from '../../domain/languages/text-languages.ts'
import { pageFields } from '../html/html-response.ts'
import { codedBody, codingFor } from '../http/headers/coded-body.ts'
import { Said } from '../questions/field-parts.tsx'
import type { FormPlace } from '../questions/filled-form.ts'
import { languages } from '../questions/languages/all-languages.ts'
import { assetsPath } from './apply-assets.ts'
import { type ApplicantPage, type ApplyRequest, clientsPath, csrfField, withCookies } from './apply-request.ts'

/** A page as a response, in the language of the request. It is never cached. */
export function showApply(request: ApplyRequest, page: ApplicantPage): Response {
  const { status = 200 } = page
  const html = renderToString(h(Shell, { request, page }))
  const coded = codedBody(Buffer.from(`<!doctype html>${html}`), codingFor(request.request))
  const headers = { ...pageFields, ...coded.fields, Vary: 'Accept-Encoding, Accept-Language, Cookie' }
  return withCookies(request, new Response(coded.body, { status, headers }))
}

/** An address of ours as it is on pages, if the service runs below a path. */
export const linkTo = ({ place }: ApplyRequest, path: string): string => place.root + path

/** A line in the summary of errors. */
interface SummaryLine {
  field: string
  message: string
  label: string
  /** What `label` is about. */
  place?: FormPlace
}

function Shell({ request, page }: { request: ApplyRequest; page: ApplicantPage }): VNode {
  const { deps, language, texts } = request
  const { pages } = texts
  const { installationName, applyLogo } = deps.config
  const asset = (name: string) => linkTo(request, `${assetsPath}/${name}`)
  const isError = (page.status ?? 200) >= 400
  return (
    <html lang={language} dir={texts.dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{[isError && pages.error, page.title, installationName].filter(Boolean).join(' · ')}</title>
        <link rel="icon" href={asset(applyLogo === '' ? 'mark.svg' : 'logo')} />
        <link rel="stylesheet" href={asset('apply.css')} />
        <link rel="stylesheet" href={asset('theme.css')} />
        <script src={asset('apply.js')} defer />
        <script src={asset('live-questions.js')} defer />
      </head>
      <body>
        <a class="skip" href="#main">
          {pages.skip}
        </a>
        {/* The button that the Enter key presses: the form's first button, wherever it is, rather than a language button. */}
        {page.form !== undefined && (
          <button type="submit" class="unseen" form={page.form} name="go" value="next" tabIndex={-1} aria-hidden="true">
            {pages.next}
          </button>
        )}
        <header>
          <a class="city" href={linkTo(request, '/apply')}>
            {applyLogo !== '' && <img src={asset('logo')} alt="" height="32" />}
            <span>{installationName === '' ? pages.programs : installationName}</span>
          </a>
          <LanguageMenu request={request} form={page.form} />
        </header>
        {request.intermediary !== undefined && (
          <ClientBar request={request} organization={request.intermediary.organization} />
        )}
        <main id="main" tabIndex={-1}>
          {page.body}
        </main>
        <Foot request={request} />
      </body>
    </html>
  )
}

/** Buttons for languages: on a page with a form, they send it, so that what was typed is kept in the other language. */
function LanguageMenu({ request, form }: { request: ApplyRequest; form: string | undefined }) {
  const others = Object.entries(languages).filter(([tag]) => tag !== request.language)
  if (others.length === 0) return null
  const buttons = others.map(([tag, { name, dir }]) => (
    <button type="submit" name="language" value={tag} form={form} lang={tag} dir={dir}>
      {name}
    </button>
  ))
  return (
    <nav aria-label={request.texts.pages.languages}>
      {form === undefined ? <form method="get">{buttons}</form> : buttons}
    </nav>
  )
}

/** Shows on every page for whom an intermediary is applying. */
const ClientBar = ({ request, organization }: { request: ApplyRequest; organization: string }) => (
  <aside class="client" aria-label={request.texts.pages.clients}>
    <span>
      {request.session === undefined ? (
        <bdi>{organization}</bdi>
      ) : (
        <>
          {request.texts.pages.applyingFor} <b dir="auto">{request.session.client}</b>
        </>
      )}
    </span>
    <a href={linkTo(request, clientsPath)}>{request.texts.pages.clients}</a>
  </aside>
)

function Foot({ request }: { request: ApplyRequest }) {
  const { session, texts, intermediary } = request
  const { pages } = texts
  return (
    <footer>
      {session === undefined ? (
        <p>{pages.unsaved}</p>
      ) : intermediary !== undefined ? (
        <p>{pages.savedForClient}</p>
      ) : (
        <p>
          {pages.saved}{' '}
          <a href={linkTo(request, '/apply/-/code')}>
            <b class="code" dir="auto">
              {session.code}
            </b>
          </a>
        </p>
      )}
      <PostForm request={request} path="/apply/-/finish">
        <button type="submit" class="quiet">
          {intermediary === undefined ? pages.finish : pages.signOut}
        </button>
      </PostForm>
    </footer>
  )
}

interface FormProps extends ComponentProps<'form'> {
  request: ApplyRequest
  path: string
  /** By default, that of the session. */
  csrf?: string
}

/** A form with its token. */
export const PostForm = ({ request, path, csrf, children, ...attributes }: FormProps) => (
  <form method="post" action={linkTo(request, path)} {...attributes}>
    <input type="hidden" name="csrf" value={csrf ?? csrfField(request)} autocomplete="off" />
    {children}
  </form>
)

/** A confirmation, or the reason for showing the page. */
export const Notice = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <p class="notice" role="status" data-notice={name}>
    {children}
  </p>
)

/** A text of the program. */
export const ProgramText = ({ text, languageOf }: { text: string | undefined; languageOf: LanguageOf }) =>
  text === undefined ? null : (
    <p class="static" dir="auto" lang={languageOf(text)}>
      {text}
    </p>
  )

/** A separate link at the end of a page. */
export const LinkLine = ({ request, path, text }: { request: ApplyRequest; path: string; text: string }) => (
  <p>
    <a href={linkTo(request, path)}>{text}</a>
  </p>
)

interface SummaryProps {
  title: string
  messages: readonly SummaryLine[]
  /** Names the question if a page has several. */
  withLabels: boolean
  languageOf?: LanguageOf
  /** The address of a field on another page. By default, the fields are on this page. */
  hrefOf?: (field: string) => string
}

/** The errors, with a link to each field. It has the focus if its form has just been rejected. */
export function ErrorSummary({ title, messages, withLabels, languageOf, hrefOf }: SummaryProps) {
  if (messages.length === 0) return null
  return (
    <section class="problem" role="alert" aria-labelledby="problem" tabIndex={-1} autofocus={hrefOf === undefined}>
      <h2 id="problem">{title}</h2>
      <ul>
        {messages.map(({ field, message, label, place }) => (
          <li>
            <a href={hrefOf?.(field) ?? `#${field}`} dir="auto">
              {withLabels && <Said text={label} language={place && languageOf?.(place.asked.question.settings.text)} />}{' '}
              {message}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
