// Comfort only: buttons and choices here send the form, which comes back rearranged. With this, only the part that they rearrange is put in
// place, and what was typed in the meantime stays, with the focus where it is.

/** The parts that buttons rearrange, by the beginning of their values. */
const parts = { option: '#options', when: '#asking' }
const fieldsOf = within => [...within.querySelectorAll('[name]:not(button)')]
const rowsOf = part => [...part.querySelectorAll('.option-rows > li, .when-rows > li')]
const rowOf = element => element.closest('.option-rows > li, .when-rows > li')
const isTicked = ({ type }) => type === 'checkbox' || type === 'radio'
const stateOf = field => (isTicked(field) ? field.checked : field.value)
/** What a field or button is in its row, whatever the number of that: `option_text`, `option-up-`. */
const memberOf = ({ name, type, value }) =>
  name === 'edit' ? value.replace(/\d+$/, '') : `${name.replace(/_\d+$/, '')} ${isTicked({ type }) ? value : ''}`
const inRow = (row, one) => [...row.querySelectorAll('[name]')].find(other => memberOf(other) === memberOf(one))

/** Sends the form as this button would. Resolves to the form that comes back. */
async function rearranged(form, edit, signal, body = new URLSearchParams(new FormData(form))) {
  // A button of the name is in the way of form.action.
  const path = form.getAttribute('action')
  body.set('edit', edit)
  const response = await fetch(path, {
    method: 'POST',
    body,
    headers: { Accept: 'text/html' },
    redirect: 'error',
    signal,
  })
  if (!response.ok) throw new Error(String(response.status))
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return document.importNode(
    [...page.forms].find(other => other.getAttribute('action') === path),
    true,
  )
}

/** What the fields of a part said when it was sent. */
const statesOf = part => new Map(fieldsOf(part).map(field => [field, stateOf(field)]))

/** Of each row as it was sent, the row that came back for it: in its place, or where rows have moved, one that says the same. */
function successorsOf(part, next, sent, areInPlace) {
  const left = rowsOf(next)
  const isSame = (row, other) =>
    fieldsOf(row).every(field => [undefined, sent.get(field)].includes(stateIn(other, field)))
  const stateIn = (row, field) => {
    const found = inRow(row, field)
    return found && stateOf(found)
  }
  return new Map(
    rowsOf(part).map((row, i) => {
      const found = areInPlace ? left[i] : left.find(other => isSame(row, other))
      if (!areInPlace && found) left.splice(left.indexOf(found), 1)
      return [row, found]
    }),
  )
}

/** Rows that were replaced, with what replaced them. */
const successors = new WeakMap()
const present = row => (successors.has(row) ? present(successors.get(row)) : row)

/** Puts what came back in the place of a part, with what was typed since it was sent, and the focus. */
function replace(part, next, sent, { areInPlace = true, removed, pressed, op } = {}) {
  const rows = successorsOf(part, next, sent, areInPlace)
  const counterpart = one => {
    const row = rowOf(one)
    if (row) return rows.get(row) && inRow(rows.get(row), one)
    return [...next.querySelectorAll('[name]')].find(other => !rowOf(other) && memberOf(other) === memberOf(one))
  }
  const list = next.querySelector('[name=option_list], [name=option_lines]')
  for (const [field, was] of sent) {
    if (stateOf(field) === was || rowOf(field) === removed) continue
    const to = counterpart(field)
    if (!to && list && !isTicked(field)) list.value += `${field.value}\n`
    else if (to && isTicked(field)) to.checked = field.checked
    else if (to) to.value = field.value
  }
  if (list?.value) list.closest('details')?.setAttribute('open', '')
  const active = document.activeElement
  const index = rowsOf(part).indexOf(removed)
  const to = part.contains(active) && ((active === pressed && focusAfter(next, op, index)) || counterpart(active))
  const { selectionStart, selectionEnd } = active
  for (const [row, successor] of rows) successors.set(row, successor)
  part.replaceWith(next)
  if (!to) return
  to.focus()
  if (typeof selectionStart === 'number' && to.type === active.type) to.setSelectionRange(selectionStart, selectionEnd)
}

/** Where one continues after a row was added, pasted or removed: in the new one, or at the one that is in its place now. */
function focusAfter(next, op, index) {
  const rows = rowsOf(next)
  if (op === 'more' || op === 'paste') return rows.at(-1)?.querySelector('[name]')
  if (op !== 'remove') return undefined
  const row = rows[Math.min(index, rows.length - 1)]
  return row?.querySelector('[value*="-remove-"]') ?? next.querySelector('[value$="-more"]')
}

/** Sends the form, and puts what the button rearranges in place. `pressed` is what was pressed, chosen or pasted into. */
async function rearrange(form, edit, pressed, signal) {
  const [, sort, op] = /^([a-z]+)-([a-z]+)/.exec(edit)
  const part = form.querySelector(parts[sort])
  const sent = statesOf(part)
  const next = await rearranged(form, edit, signal)
  form.querySelector('.as-seen')?.replaceWith(next.querySelector('.as-seen'))
  const removed = op === 'remove' ? rowOf(pressed) : undefined
  replace(part, next.querySelector(parts[sort]), sent, { areInPlace: op === 'look', removed, pressed, op })
  form.dataset.typed = ''
}

/** One after the other: each is sent with what the one before made of the form. */
let last = Promise.resolve()
function inTurn(form, pressed, editOf, { signal, failed }) {
  const go = () => {
    if (signal?.aborted) return
    const row = rowOf(pressed)
    const now = row && present(row) !== row ? present(row) && inRow(present(row), pressed) : pressed
    if (now) return rearrange(form, editOf(now), now, signal)
  }
  last = last.then(go).catch(error => signal?.aborted || failed(error))
}

document.addEventListener('submit', event => {
  const { target: form, submitter } = event
  if (submitter?.name !== 'edit' || !form.querySelector(parts[submitter.value.split('-')[0]])) return
  event.preventDefault()
  inTurn(form, submitter, ({ value }) => value, {
    // Where it cannot be done in place it is done as without this script.
    failed: () => {
      const field = Object.assign(document.createElement('input'), {
        type: 'hidden',
        name: 'edit',
        value: submitter.value,
      })
      form.append(field)
      delete form.dataset.typed
      form.submit()
    },
  })
})

let choosing = new AbortController()

document.addEventListener('change', ({ target }) => {
  const { dataset, form } = target
  if (dataset.edit === undefined) return
  choosing.abort()
  choosing = new AbortController()
  inTurn(form, target, () => dataset.edit, { signal: choosing.signal, failed: reportError })
})

document.addEventListener('paste', event => {
  const field = event.target
  const text = event.clipboardData?.getData('text') ?? ''
  if (!field.name?.startsWith('option_text_') || !/\n\s*\S/.test(text)) return
  event.preventDefault()
  field.form.elements.option_list.value = text
  // It takes the place of what is selected.
  field.setRangeText('')
  inTurn(field.form, field, ({ name }) => name.replace('option_text_', 'option-paste-'), { failed: () => {} })
})

/** What was typed is kept for Back and for loading again, which show the page as it came: its rows are those of an answer. */
const place = `typed ${location.pathname}${location.search}`
const edited = () => document.querySelector(`form:has(${parts.option}, ${parts.when})`)

addEventListener('pagehide', () => {
  const form = edited()
  if (form?.dataset.typed === undefined) return sessionStorage.removeItem(place)
  sessionStorage.setItem(place, JSON.stringify([...new FormData(form)].filter(([name]) => name !== 'csrf')))
})

async function restore(form, kept) {
  const body = new URLSearchParams(kept)
  const { csrf, typed_by } = form.elements
  if (body.get('typed_by') !== typed_by.value) return
  body.set('csrf', csrf.value)
  const sent = statesOf(form)
  const next = await rearranged(form, 'none', undefined, body)
  next.dataset.typed = ''
  replace(form, next, sent)
}

const [{ type: arrival }] = performance.getEntriesByType('navigation')
const kept = arrival === 'navigate' ? null : sessionStorage.getItem(place)
if (kept !== null && edited()) last = restore(edited(), JSON.parse(kept)).catch(() => {})

let typing = new AbortController()

/** Shows the question as the applicant sees it, once its person has paused. */
document.addEventListener('input', ({ target: { form } }) => {
  typing.abort()
  if (!form?.querySelector('.as-seen')) return
  typing = new AbortController()
  const { signal } = typing
  const show = async () => {
    if (signal.aborted) return
    const next = await rearranged(form, 'none', signal)
    if (!signal.aborted) form.querySelector('.as-seen')?.replaceWith(next.querySelector('.as-seen'))
  }
  setTimeout(() => show().catch(() => {}), 300)
})

/** The slug that a new program gets from its name where the field stays empty: src/domain/values/slug.ts makes it. */
const slugOf = name =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
    .slice(0, 60)
    .trimEnd()
    .replaceAll(' ', '-')

document.addEventListener('input', ({ target: { form, name, value } }) => {
  if (name === 'display_name' && form.elements.slug) form.elements.slug.placeholder = slugOf(value)
})

let looking = new AbortController()

/** Asks in a preview what the answers ask for: questions come and go, and what stays is left as it is, with what is being typed in it. */
document.addEventListener('change', async ({ target: { form } }) => {
  const live = form?.querySelector('#live')
  if (!live) return
  looking.abort()
  looking = new AbortController()
  const { signal } = looking
  const next = await rearranged(form, 'look', signal).catch(() => undefined)
  if (next === undefined || signal.aborted) return
  form.querySelector('#kept').replaceWith(next.querySelector('#kept'))
  const asked = [...next.querySelector('#live').children]
  for (const was of [...live.children]) if (!asked.some(({ id }) => id === was.id)) was.remove()
  for (const [i, one] of asked.entries()) {
    const was = live.children[i]
    if (was?.id !== one.id) live.insertBefore(one, was ?? null)
    else if (was.textContent !== one.textContent && !was.contains(document.activeElement)) was.replaceWith(one)
  }
})
