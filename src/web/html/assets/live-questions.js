// Shows questions as soon as an answer makes them apply, on applicants' pages and in the preview. Without this script, the form's buttons
// show them.

let newest = new AbortController()

document.addEventListener('change', async ({ target: { form, type } }) => {
  if (type === 'file' || !form?.querySelector('#questions[data-live]')) return
  // Only the questions for the latest answer are shown.
  newest.abort()
  newest = new AbortController()
  const { signal } = newest
  const updated = await updatedForm(form, signal).catch(() => undefined)
  if (updated === undefined || signal.aborted) return
  form.querySelector('#kept').replaceWith(updated.querySelector('#kept'))
  showQuestions(form.querySelector('#questions'), updated.querySelector('#questions'))
})

/** The form as the service shows it for these answers. */
async function updatedForm(form, signal) {
  // A button may have the name `action`.
  const path = form.getAttribute('action')
  // Without its files, which are uploaded when they are chosen.
  const body = new URLSearchParams([...new FormData(form)].filter(([, value]) => typeof value === 'string'))
  const response = await fetch(path, { method: 'POST', body, headers: { Accept: 'text/html' }, signal })
  if (!response.ok || response.redirected) return undefined
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const updated = [...page.forms].find(other => other.getAttribute('action') === path)
  return updated && document.importNode(updated, true)
}

/** Adds, moves and removes questions. The others stay, with their focus and anything being typed, unless their text has changed. */
function showQuestions(shown, updated) {
  const focused = document.activeElement
  const current = new Map([...shown.children].map(question => [question.dataset.place, question]))
  const questions = [...updated.children].map(question => {
    const known = current.get(question.dataset.place)
    return known === undefined || isOutdated(known, question) ? question : known
  })
  for (const question of current.values()) if (!questions.includes(question)) question.remove()
  for (const [i, question] of questions.entries())
    if (shown.children[i] !== question) shown.insertBefore(question, shown.children[i] ?? null)
  // A question loses the focus when it is moved.
  if (document.activeElement !== focused) focused.focus()
}

/** An error stays until its form is sent, and files may have been uploaded or removed since. */
const isOutdated = (current, question) =>
  current.textContent !== question.textContent &&
  !current.contains(document.activeElement) &&
  current.querySelector('.error, .files, .upload') === null
