// Makes Copy buttons copy text and confirm it. Pages work without it.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy)
    await navigator.clipboard.writeText(source.value ?? source.textContent)
    const label = button.lastChild
    const before = label.textContent
    label.textContent = 'Copied'
    setTimeout(() => {
      label.textContent = before
    }, 2000)
  })
}

for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}

// A long list of choices: typing filters it, and everything that remains can be selected or cleared together.
for (const bar of document.querySelectorAll('[data-picks]')) {
  const [filter, button] = bar.children
  const choices = [...document.getElementById(bar.dataset.picks).querySelectorAll('.choice')]
  const shown = () => choices.filter(choice => !choice.hidden).map(choice => choice.firstElementChild)
  bar.hidden = false
  filter.addEventListener('input', () => {
    const sought = filter.value.trim().toLowerCase()
    for (const choice of choices) choice.hidden = !choice.textContent.toLowerCase().includes(sought)
  })
  filter.addEventListener('keydown', event => {
    if (event.key === 'Enter') event.preventDefault()
  })
  button.addEventListener('click', () => {
    const boxes = shown()
    const on = !boxes.every(box => box.checked)
    for (const box of boxes) box.checked = on
  })
}

// A menu closes on a click elsewhere, and on Escape, which returns the focus to its button. The shared name keeps other menus closed.
const openMenu = () => document.querySelector('details[name="menu"][open]')
document.addEventListener('click', ({ target }) => {
  const menu = openMenu()
  if (menu?.contains(target) === false) menu.open = false
})
document.addEventListener('keydown', ({ key }) => {
  const menu = key === 'Escape' && openMenu()
  if (!menu) return
  menu.open = false
  menu.querySelector('summary').focus()
})

// Shows how many rows are selected, next to the action that applies to them.
for (const count of document.querySelectorAll('[data-count]')) {
  const others = count.textContent
  const show = () => {
    const { length } = count.closest('form').querySelectorAll(`[name=${count.dataset.count}]:checked`)
    count.textContent = length === 0 ? others : `the ${length}`
  }
  count.closest('form').addEventListener('change', show)
  show()
}

// Ticks every row of a page, or none, without loading it again.
for (const link of document.querySelectorAll('[data-ticks]')) {
  const form = link.closest('form')
  const boxes = [...form.querySelectorAll(`[name=${link.dataset.ticks}]`)]
  const show = () => {
    link.textContent = link.dataset.texts.split('|')[Number(boxes.every(box => box.checked))]
  }
  link.addEventListener('click', event => {
    event.preventDefault()
    const on = !boxes.every(box => box.checked)
    for (const box of boxes) box.checked = on
    form.dispatchEvent(new Event('change'))
  })
  form.addEventListener('change', show)
  show()
}

// Leaving a form with unsaved input asks for confirmation, unless the form is being sent.
const isText = ({ name, type }) => name && !/^(checkbox|radio|file|password|search)$/.test(type)
document.addEventListener('input', ({ target }) => {
  if (target.form?.method === 'post' && isText(target)) target.form.dataset.typed = ''
})
// On the window, after listeners that may prevent sending.
addEventListener('submit', event => {
  if (!event.defaultPrevented) delete event.target.dataset.typed
})
addEventListener('beforeunload', event => {
  if (document.querySelector('form[data-typed]')) event.preventDefault()
})

// The slug that a new program gets from its name if the field is left empty; src/domain/values/slug.ts computes it.
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
  if (name === 'display_name' && form?.elements.slug) form.elements.slug.placeholder = slugOf(value)
})
