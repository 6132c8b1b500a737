// Uploads files when they are chosen, fills in a code from a link, prints and copies. Pages work without it.

// Going back to the page after a form, such as one with errors, reloads it instead of asking whether to send the form again.
if (document.querySelector('main form')) history.replaceState(null, '', location.href)

// The second press of a double click sends nothing: before the first save, it would register another applicant.
let sentAt = Number.NEGATIVE_INFINITY
document.addEventListener('submit', event => {
  if (event.timeStamp - sentAt < 5000) event.preventDefault()
  else sentAt = event.timeStamp
})

const form = document.getElementById('answers')

form?.addEventListener('change', ({ target }) => {
  if (target.type === 'file' && target.files.length > 0) upload(target)
})

form?.addEventListener('click', event => {
  const { target } = event
  if (target.name !== 'drop') return
  event.preventDefault()
  const place = target.closest('[data-place]')
  target.closest('li').remove()
  place.querySelector('input[type=file]')?.focus()
})

// Files are uploaded when they are chosen, so the style sheet hides the buttons that upload them.
document.documentElement.classList.add('scripted')

/** Sends the files chosen in one field, then updates its question. */
function upload(input) {
  const place = input.closest('[data-place]')
  const progress = place.querySelector('progress')
  const sent = new FormData()
  // Fields first: the service stores no file before it has the form's token.
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') sent.append(name, value)
  for (const file of input.files) sent.append(input.name, file)
  const request = new XMLHttpRequest()
  request.responseType = 'document'
  request.upload.onprogress = ({ loaded, total }) => {
    progress.value = (100 * loaded) / total
  }
  request.onloadend = () => {
    const shown = [...(request.response?.querySelectorAll('[data-place]') ?? [])]
    const next = shown.find(one => one.dataset.place === place.dataset.place)
    // If that failed, the form is sent normally, and its page shows why.
    if (next === undefined) return form.requestSubmit(place.querySelector('.upload button'))
    const token = request.response.querySelector('#answers input[name=csrf]')
    if (token) form.elements.csrf.value = token.value
    place.replaceWith(document.adoptNode(next))
    next.querySelector('input[type=file]')?.focus()
  }
  progress.hidden = false
  request.open('POST', form.action)
  request.send(sent)
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
