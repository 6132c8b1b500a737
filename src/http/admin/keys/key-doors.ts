// API keys in the console: who pulls what from where until when, and everything an administrator does about it.

import { anywhere } from '../../../access/api-key-draft.ts'
import {
  type ApiKeyState,
  createApiKey,
  editApiKey,
  type ListedApiKey,
  listKeys,
  loadKey,
  retireApiKey,
  rotateApiKey,
} from '../../../access/api-keys.ts'
import { judgeCall } from '../../../access/judge-call.ts'
import { readApiKeyDays } from '../../../db/api-key-rows.ts'
import { readPrograms } from '../../../db/programs.ts'
import { findRefusal, readRefusalsOf } from '../../../db/refusal-rows.ts'
import { Problem, type ProblemItem } from '../../../problem.ts'
import type { Deps } from '../../deps.ts'
import { emptyForm, type FormState } from '../../shell/fields.tsx'
import { htmlResponse } from '../../shell/html-response.ts'
import { readingRoles } from '../../shell/navigation.ts'
import { type ConsoleDoor, deedOf, faultsOf, redirect, type Visit } from '../console-doors.ts'
import { expiryOf, onField, ShownOnce } from '../keyed-forms.ts'
import { CheckPage, type Verdict } from './key-check-page.tsx'
import { NewKeyPage, RetirePage, RotatePage } from './key-form-pages.tsx'
import { KeyIndexPage } from './key-index-page.tsx'
import { IssuedPage } from './key-issued-page.tsx'
import { EditKeyPage } from './key-page.tsx'
import { addressesOf, pathOfKey, type Tab, tabs } from './key-words.tsx'

const admin = ['ADMINISTRATOR'] as const
const one = '/admin/keys/:keyId'
export function keyDoors({ consoleDb: db, config }: Deps): ConsoleDoor[] {
  const secret = new ShownOnce('issued', config)
  const expiry = ({ form, now }: Visit) => expiryOf((form.get('expiry') ?? '').trim(), now, config.timeZone)
  const key = (visit: Visit): Promise<ListedApiKey> => loadKey(db, visit.params.keyId!, visit.now)
  const slugs = async (): Promise<string[]> => (await readPrograms(db)).map(({ slug }) => slug)

  const index = async (visit: Visit): Promise<Response> => {
    const query = visit.url.searchParams
    const tab = (Object.keys(tabs) as Tab[]).find(name => name === query.get('state')) ?? 'active'
    const keys = await listKeys(db, visit.now)
    return htmlResponse(
      KeyIndexPage({
        context: visit.context,
        now: visit.now,
        tab,
        counts: Object.fromEntries(
          Object.entries(tabs).map(([name, states]) => [
            name,
            keys.filter(({ state }) => includes(states, state)).length,
          ]),
        ) as Record<Tab, number>,
        keys: keys
          .filter(({ state }) => includes(tabs[tab], state))
          .filter(matching(query.get('q'), query.get('program'))),
        search: query.get('q') ?? '',
        program: query.get('program') ?? '',
        programs: await slugs(),
        days: await readApiKeyDays(db, 30),
      }),
    )
  }

  const showNew = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> =>
    htmlResponse(NewKeyPage({ context: visit.context, form, programs: await slugs() }), status)

  const create = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    try {
      const may = form.getAll('may')
      const issued = await createApiKey(db, config.apiKeyPepper, {
        name: form.get('name') ?? '',
        programs: form.getAll('programs'),
        expires_at: expiry(visit),
        allowed_subnets: subnetsOf(form, []),
        may_export: may.includes('export'),
        may_submit: may.includes('submit'),
        may_annotate: may.includes('annotate'),
        front_end: frontEndOf(form, may.includes('submit')),
        hidden_questions: hiddenOf(form),
        ...deedOf(visit),
      })
      return secret.send(visit, `${pathOfKey(issued.username)}/issued`, issued.password)
    } catch (error) {
      return showNew(visit, { values: form, faults: faultsOf(error).map(onKeyField) }, 400)
    }
  }

  const issued = async (visit: Visit): Promise<Response> => {
    const found = await key(visit)
    const { secret: password, fields } = secret.take(visit)
    const { context, place } = visit
    return htmlResponse(IssuedPage({ context, key: found, password, baseUrl: place.baseUrl }), 200, fields)
  }

  const showKey = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> => {
    const found = await key(visit)
    const id = found.api_key_id
    const [days, refusals, programs] = await Promise.all([
      readApiKeyDays(db, 30, id),
      readRefusalsOf(db, id, 10),
      slugs(),
    ])
    const done = visit.url.searchParams.get('done')
    return htmlResponse(
      EditKeyPage({
        context: visit.context,
        now: visit.now,
        form,
        key: found,
        days,
        refusals,
        programs,
        done,
        overtaken: status === 409,
      }),
      status,
    )
  }

  const edit = async (visit: Visit): Promise<Response> => {
    const { form } = visit
    const found = await key(visit)
    try {
      await editApiKey(
        db,
        found.api_key_id,
        {
          name: form.get('name') ?? '',
          programs: form.getAll('programs'),
          allowed_subnets: subnetsOf(form, addressesOf(found)),
          expires_at: expiry(visit),
          front_end: frontEndOf(form, found.may_submit),
          // A form without the field must not take anything out of hiding.
          ...(form.has('hidden_questions') ? { hidden_questions: hiddenOf(form) } : {}),
        },
        deedOf(visit),
        form.get('based_on') ?? undefined,
      )
      return redirect(visit, `${pathOfKey(found.api_key_id)}?done=saved`)
    } catch (error) {
      if (error instanceof Problem && error.internal === 'based_on_is_old')
        return showKey(visit, { values: form, faults: [] }, 409)
      return showKey(visit, { values: form, faults: faultsOf(error).map(onKeyField) }, 400)
    }
  }

  /** The page of a deed; of a key that is retired, or of a CiviForm, the key's own page, which says so. */
  const changeable = async (visit: Visit, page: (key: ListedApiKey) => Response): Promise<Response> => {
    const found = await key(visit)
    return found.retired_at === null && !found.civiform ? page(found) : redirect(visit, pathOfKey(found.api_key_id))
  }

  const showRotate = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> =>
    changeable(visit, found => htmlResponse(RotatePage({ context: visit.context, form, key: found }), status))

  const rotate = async (visit: Visit): Promise<Response> => {
    const text = visit.form.get('overlap') ?? ''
    const overlap = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
    const { api_key_id } = await key(visit)
    try {
      const made = await rotateApiKey(db, config.apiKeyPepper, api_key_id, overlap, deedOf(visit))
      return secret.send(visit, `${pathOfKey(made.username)}/issued`, made.password)
    } catch (error) {
      return showRotate(visit, { values: visit.form, faults: faultsOf(error).map(onField) }, 400)
    }
  }

  const showRetire = async (visit: Visit, form: FormState = emptyForm, status = 200): Promise<Response> =>
    changeable(visit, found => htmlResponse(RetirePage({ context: visit.context, form, key: found }), status))

  const retire = async (visit: Visit): Promise<Response> => {
    const { api_key_id, name } = await key(visit)
    if (visit.form.get('confirmation')?.trim() !== name) {
      const fault = {
        parameter: 'confirmation',
        code: 'differs',
        detail: `Write ${JSON.stringify(name)} to retire this key.`,
      }
      return showRetire(visit, { values: visit.form, faults: [fault] }, 400)
    }
    await retireApiKey(db, api_key_id, deedOf(visit))
    return redirect(visit, `${pathOfKey(api_key_id)}?done=retired`)
  }

  const check = async (visit: Visit): Promise<Response> => {
    const query = visit.url.searchParams
    const call = {
      apiKeyId: query.get('key') ?? '',
      address: (query.get('address') ?? '').trim(),
      slug: query.get('program') ?? '',
    }
    const requestId = (query.get('request_id') ?? '').trim().toLowerCase()
    const keys = await listKeys(db, visit.now)
    // The way here from a key names that key alone: nothing is asked yet.
    const asks = query.has('address')
    const form: FormState = {
      values: new URLSearchParams({
        program: keys.find(one => one.api_key_id === call.apiKeyId)?.programs[0] ?? '',
        ...Object.fromEntries(query),
      }),
      faults: asks && call.address === '' ? [noAddress] : [],
    }
    const verdict: Verdict | undefined =
      asks && call.address !== '' ? { reason: await judgeCall(db, call, visit.now) } : undefined
    const isId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(requestId)
    return htmlResponse(
      CheckPage({
        context: visit.context,
        keys,
        programs: await slugs(),
        form,
        verdict,
        asked: requestId,
        refusal: isId ? await findRefusal(db, requestId) : undefined,
      }),
    )
  }

  return [
    { method: 'GET', path: '/admin/keys', roles: readingRoles, answer: index },
    { method: 'GET', path: '/admin/keys/check', roles: readingRoles, answer: check },
    { method: 'GET', path: '/admin/keys/new', roles: admin, confirmed: true, answer: visit => showNew(visit) },
    { method: 'POST', path: '/admin/keys/new', roles: admin, confirmed: true, answer: create, again: showNew },
    { method: 'GET', path: one, roles: readingRoles, answer: visit => showKey(visit) },
    { method: 'POST', path: one, roles: admin, confirmed: true, answer: edit, again: showKey },
    { method: 'GET', path: `${one}/issued`, roles: admin, answer: issued },
    { method: 'GET', path: `${one}/rotate`, roles: admin, confirmed: true, answer: visit => showRotate(visit) },
    { method: 'POST', path: `${one}/rotate`, roles: admin, confirmed: true, answer: rotate, again: showRotate },
    { method: 'GET', path: `${one}/retire`, roles: admin, answer: visit => showRetire(visit) },
    { method: 'POST', path: `${one}/retire`, roles: admin, answer: retire, again: showRetire },
  ]
}

const noAddress: ProblemItem = {
  parameter: 'address',
  code: 'required',
  detail: 'Write the address that the call would come from.',
}

export const includes = (states: readonly ApiKeyState[], state: ApiKeyState): boolean => states.includes(state)

/** Whether a key is meant by what was searched for: in its name, id, programs or addresses. */
export const matching =
  (search: string | null, program: string | null) =>
  (key: ListedApiKey): boolean => {
    const text = (search ?? '').trim().toLowerCase()
    const fields = [key.name, key.api_key_id, ...key.programs, ...key.allowed_subnets, key.last_used_address ?? '']
    return (
      (text === '' || fields.some(field => field.toLowerCase().includes(text))) &&
      (program === null || program === '' || key.programs.includes(program))
    )
  }

/**
 * One subnet a line, or `anywhere`; both where both were entered, which is refused. The addresses that the form was opened with were
 * not entered: they give way to `anywhere`.
 */
function subnetsOf(form: URLSearchParams, stored: readonly string[]): string[] {
  const written = (form.get('allowed_subnets') ?? '').split(/[\s,]+/).filter(text => text !== '')
  if (form.get('from') !== 'anywhere') return written
  return written.join() === stored.join() ? [anywhere] : [anywhere, ...written]
}

/** Of a key that does not submit, undefined where none was entered. */
const frontEndOf = (form: URLSearchParams, maySubmit: boolean): string | undefined => {
  const written = form.get('front_end') ?? ''
  return maySubmit || written.trim() !== '' ? written : undefined
}

/** What the form says in its own words, by field and code. */
const formWords: Readonly<Record<string, string>> = {
  'allowed_subnets required': 'Write the addresses it may be used from, or choose “Anywhere”.',
  'allowed_subnets anywhere_not_alone':
    'Must be empty where the key may be used from anywhere: clear it, or choose “These addresses only”.',
  'front_end not_allowed': 'Must be empty, or “Submit applications” ticked: only a key that submits has a front end.',
}

/** The form asks for addresses; what takes a list of them calls them subnets. */
const inAddresses = (parameter: string | undefined, detail: string): string =>
  parameter === 'allowed_subnets'
    ? detail.replace(/subnets/g, 'addresses').replace('subnet such as', 'address or range such as')
    : detail

const onKeyField = (fault: ProblemItem): ProblemItem => {
  const { parameter, code, detail } = onField(fault)
  return { parameter: parameter!, code, detail: formWords[`${parameter} ${code}`] ?? inAddresses(parameter, detail) }
}

/** One admin name a line. */
const hiddenOf = (form: URLSearchParams): string[] =>
  (form.get('hidden_questions') ?? '')
    .split('\n')
    .map(name => name.trim())
    .filter(name => name !== '')
