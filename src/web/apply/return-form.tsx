// The form to enter a code. If a session ended while a page was being filled in, this form keeps what was entered.

/** @jsxImportSource preact */

import { TextInput } from '../questions/field-parts.tsx'
import { filled } from '../questions/field-view.ts'
import { FormValues } from '../questions/form-values.ts'
import type { ApplyRequest } from './apply-request.ts'
import { ErrorSummary, Notice, PostForm, showApply } from './apply-shell.tsx'

interface ReturnForm {
  /** The error in the code. */
  message?: string
  status?: number
  /** The path of the screen whose form was sent after its session had ended. */
  kept?: string | undefined
}

export function showReturn(
  request: ApplyRequest,
  { message, kept, status = kept === undefined ? 200 : 403 }: ReturnForm,
): Response {
  const { pages, questions: words } = request.texts
  const label = pages.returnLabel
  const hasEnded = kept !== undefined || request.url.searchParams.has('ended')
  const view = { values: request.form, errors: new Map(message === undefined ? [] : [['code', message]]), words }
  const lines = message === undefined ? [] : [{ field: 'code', message, label }]
  const body = (
    <>
      <ErrorSummary title={pages.problem} messages={lines} withLabels={false} />
      {hasEnded && (
        <Notice name="ended">
          {filled(pages.ended, { minutes: Math.round(request.deps.config.applyIdleMs / 60_000) })}
        </Notice>
      )}
      <h1>{pages.returnTitle}</h1>
      <PostForm request={request} path="/apply/-/return">
        {kept !== undefined && <KeptFields path={kept} values={request.form} />}
        <TextInput view={view} name="code" label={label} hint={pages.returnHint} typing={{ size: 'medium' }} />
        <button type="submit">{pages.next}</button>
      </PostForm>
    </>
  )
  return showApply(request, { title: pages.returnTitle, body, status })
}

/** The fields of a screen that its page needs to show what was typed. */
const isKept = (name: string): boolean => name.startsWith('/') || ['shown', 'base'].includes(name)

const KeptFields = ({ path, values }: { path: string; values: FormValues }) => (
  <>
    <input type="hidden" name="kept" value={path} autocomplete="off" />
    {[...values].map(
      ([name, value]) => isKept(name) && <input type="hidden" name={name} value={value} autocomplete="off" />,
    )}
  </>
)

/** The screen and the fields that a form contains; undefined if it contains none. */
export function keptScreen({ form }: ApplyRequest): { slug: string; screen: string; form: FormValues } | undefined {
  const [, slug, screen] = /^\/apply\/([a-z0-9-]{1,100})\/screens\/(\d{1,4})$/.exec(form.get('kept') ?? '') ?? []
  if (slug === undefined || screen === undefined) return undefined
  return { slug, screen, form: new FormValues([...form].filter(([name]) => isKept(name))) }
}
