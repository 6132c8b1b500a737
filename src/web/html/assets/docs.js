// Remembers the chosen language, and scrolls the list and the example to the section or question being read. Pages work without it.

const language = 'tributary-docs-language'
const samples = [...document.querySelectorAll('details[name="samples"]')]
const chosen = localStorage.getItem(language)
for (const sample of samples) {
  const title = sample.querySelector('summary').textContent
  if (title === chosen) sample.open = true
  // A press instead of `toggle`, which also fires for everything that is open initially.
  sample.querySelector('summary').addEventListener('click', () => localStorage.setItem(language, title))
}

// On a phone, questions, parameters and metadata fields start folded, unless a link leads into one: unfolded, they are two thirds of the page.
if (matchMedia('(max-width: 47.99rem)').matches) {
  for (const fold of document.querySelectorAll('details.question, details.parts'))
    fold.open = fold.querySelector(':target') !== null
  document.querySelector(':target')?.scrollIntoView()
}

/** Only where the example is next to the text. Elsewhere, it would take readers away from it. */
const wide = matchMedia('(min-width: 80rem)')
let followed

/** Scrolls only the list, to the entry. */
function showEntry(entry) {
  const list = entry?.closest('.side')
  if (!list) return
  const [{ top, bottom }, box] = [entry.getBoundingClientRect(), list.getBoundingClientRect()]
  if (top < box.top + 48 || bottom > box.bottom - 48) list.scrollTop += top - box.top - box.height / 3
}

function follow(about) {
  if (about === followed) return
  followed = about
  for (const marked of document.querySelectorAll('.json .followed, #find [aria-current="location"]')) {
    marked.classList.remove('followed')
    marked.removeAttribute('aria-current')
  }
  const entry = document.querySelector(`#find a[href="#${CSS.escape(about.id)}"]`)
  entry?.setAttribute('aria-current', 'location')
  if (wide.matches) showEntry(entry)
  const member = document.getElementById(about.dataset.example)
  if (member === null) return
  member.classList.add('followed')
  if (!wide.matches) return
  for (let fold = member.closest('details'); fold !== null; fold = fold.parentElement.closest('details'))
    fold.open = true
  member.scrollIntoView({ block: 'nearest' })
  const box = member.closest('.scroll')
  box.scrollTop += member.getBoundingClientRect().top - box.getBoundingClientRect().top - 72
}

// Selecting a question may scroll another one into the reading position.
let chosenAt = Number.NEGATIVE_INFINITY
const choose = about => {
  chosenAt = performance.now()
  follow(about)
}
const reading = new IntersectionObserver(
  entries => {
    const first = entries.find(entry => entry.isIntersecting)
    if (first !== undefined && performance.now() > chosenAt + 500) follow(first.target)
  },
  { rootMargin: '-15% 0px -75% 0px' },
)
// Sections without questions are read as a whole.
for (const heading of document.querySelectorAll('.alongside section > h2[id]')) reading.observe(heading)
for (const about of document.querySelectorAll('[data-example]')) {
  reading.observe(about)
  about.parentElement.addEventListener('focusin', () => choose(about))
  about.parentElement.addEventListener('pointerdown', () => choose(about))
}
const followTarget = () => {
  const about = document.querySelector('[data-example]:target')
  if (about !== null) choose(about)
}
addEventListener('hashchange', () => requestAnimationFrame(followTarget))
followTarget()

// Copies the Markdown of the page.
for (const button of document.querySelectorAll('[data-markdown]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const label = button.lastChild
    const before = label.textContent
    const response = await fetch(button.previousElementSibling.href).catch(() => undefined)
    if (response?.ok) await navigator.clipboard.writeText(await response.text())
    label.textContent = response?.ok ? 'Copied' : 'Couldn’t copy. Try again.'
    setTimeout(() => {
      label.textContent = before
    }, 2000)
  })
}
