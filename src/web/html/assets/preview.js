// Updates a preview after every answer. Without this script, people update it with the preview's buttons.

/** The form as it comes back for what it says now. */
async function answered(form, signal) {
  // A button of the name is in the way of form.action.
  const path = form.getAttribute('action')
  const body = new URLSearchParams(new FormData(form))
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

let looking = new AbortController()

/** Asks in a preview what the answers ask for: questions come and go, and what stays is left as it is, with what is being typed in it. */
document.addEventListener('change', async ({ target: { form } }) => {
  const live = form?.querySelector('#live')
  if (!live) return
  looking.abort()
  looking = new AbortController()
  const { signal } = looking
  const next = await answered(form, signal).catch(() => undefined)
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
