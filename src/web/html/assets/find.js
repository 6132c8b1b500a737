// Filters a list by the text that is typed. Pages work without it.
const field = document.querySelector('[data-find]')
if (field !== null) {
  const entries = [...document.querySelectorAll('#find li')]
  const status = document.querySelector('[data-found]')
  const narrow = () => {
    const wanted = field.value.trim().toLowerCase()
    // Innermost first: whatever contains a match is shown with it.
    for (const entry of entries.reverse()) {
      const link = entry.querySelector('a')
      const text = `${link.textContent} ${link.title}`.toLowerCase()
      entry.toggleAttribute('data-match', text.includes(wanted))
      entry.hidden = !text.includes(wanted) && entry.querySelector('li:not([hidden])') === null
    }
    entries.reverse()
    for (const group of document.querySelectorAll('#find [data-group]'))
      group.hidden = group.querySelector('li:not([hidden])') === null
    const found = entries.filter(entry => !entry.hidden).length
    status.textContent = wanted === '' ? '' : found === 0 ? 'Nothing found' : `${found} found`
  }
  field.closest('[hidden]').hidden = false
  field.addEventListener('input', narrow)
  // A text or key that begins with the search text comes before one that contains it.
  const rank = entry => {
    const link = entry.querySelector('a')
    const wanted = field.value.trim().toLowerCase()
    const places = [link.textContent, link.title].map(name => name.toLowerCase().indexOf(wanted))
    return places.includes(0) ? 0 : 1
  }
  field.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return
    const found = entries.filter(entry => entry.hasAttribute('data-match'))
    found
      .sort((a, b) => rank(a) - rank(b))[0]
      ?.querySelector('a')
      .click()
  })
  document.addEventListener('keydown', event => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}
