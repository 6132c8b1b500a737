// Comfort only: every button here sends the form and gets it back rearranged. With this, the page stays where it is in the meantime.
const rearranging = button => button?.name === 'edit'

/** Sends the form as this button would. Resolves to the form that comes back. */
async function rearranged(form, edit, signal) {
  // A button of the name is in the way of form.action.
  const path = form.getAttribute('action')
  const body = new URLSearchParams(new FormData(form))
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

/** Puts what comes back in the place of the form. */
async function rearrange(form, edit, focus) {
  const next = await rearranged(form, edit)
  form.replaceWith(next)
  focus(next)?.focus()
}

/** The field that one continues in: of what was added, else of what was pressed. */
const after = edit => form =>
  edit.endsWith('-more')
    ? [...form.querySelectorAll(edit.startsWith('option') ? '[name^=option_text_]' : '[name^=when_what_]')].at(-1)
    : (form.querySelector(`#${edit}`) ?? form.querySelector('[name^=option_text_]'))

document.addEventListener('submit', event => {
  const { target: form, submitter } = event
  if (!rearranging(submitter)) return
  event.preventDefault()
  // Where it cannot be done in place it is done as without this script.
  rearrange(form, submitter.value, after(submitter.value)).catch(() => {
    const field = Object.assign(document.createElement('input'), {
      type: 'hidden',
      name: 'edit',
      value: submitter.value,
    })
    form.append(field)
    form.submit()
  })
})

document.addEventListener('change', event => {
  const { dataset, form, id } = event.target
  if (dataset.edit !== undefined) rearrange(form, dataset.edit, next => next.querySelector(`#${id}`)).catch(reportError)
})

document.addEventListener('paste', event => {
  const field = event.target
  const text = event.clipboardData?.getData('text') ?? ''
  if (!field.name?.startsWith('option_text_') || !/\n\s*\S/.test(text)) return
  event.preventDefault()
  field.form.elements.option_list.value = text
  // It takes the place of what is selected.
  field.setRangeText('')
  rearrange(field.form, field.name.replace('option_text_', 'option-paste-'), form =>
    [...form.querySelectorAll('[name^=option_text_]')].at(-1),
  ).catch(() => {})
})

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
