// Pages are complete without this: it shows questions as soon as an answer asks for them, fills in a code from a link, prints and copies.

const form = document.getElementById('answers')
if (form?.hasAttribute('data-live')) {
  let last = 0
  form.addEventListener('change', async () => {
    last += 1
    const mine = last
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)) })
    if (!response.ok || response.redirected) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    // Only what was asked for last.
    if (mine === last) showPlaces(page)
  })
}

/** Adds and removes questions, and leaves those that stay as they are, focus and all. */
function showPlaces(page) {
  const shown = form.elements.shown
  shown.value = page.querySelector('input[name=shown]').value
  const old = new Map([...form.querySelectorAll('[data-place]')].map(place => [place.dataset.place, place]))
  const container = document.getElementById('questions')
  const places = [...page.querySelectorAll('[data-place]')].map(place => old.get(place.dataset.place) ?? place)
  for (const place of old.values()) if (!places.includes(place)) place.remove()
  let before = container.firstElementChild
  for (const place of places) {
    if (place === before) before = before.nextElementSibling
    else container.insertBefore(document.adoptNode(place), before)
  }
}

// A code after `#` stays in the browser until its form is sent.
const code = document.querySelector('input[name=code]')
if (code && location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1))
  history.replaceState(null, '', location.pathname)
}

const actions = document.getElementById('code-actions')
if (actions) {
  actions.hidden = false
  actions.addEventListener('click', async ({ target }) => {
    if (target.dataset.do === 'print') print()
    if (target.dataset.do !== 'copy') return
    await navigator.clipboard.writeText(document.getElementById('code').textContent)
    target.textContent = target.dataset.done
  })
}
