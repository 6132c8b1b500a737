// Opens the search as a dialog, by Ctrl K, ⌘ K or the sidebar's field, with the results of the search page. Pages work without it.
// All code is in a block, because the scripts of a page share one scope.
{
  const dialog = document.querySelector('.finder')
  const field = dialog.querySelector('input')
  const list = dialog.querySelector('[role=listbox]')
  const status = dialog.querySelector('[role=status]')
  const sidebarField = document.querySelector('.search [name=q]')

  let active
  const choose = option => {
    active?.setAttribute('aria-selected', 'false')
    active = option
    option?.setAttribute('aria-selected', 'true')
    option?.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', option?.id ?? '')
  }

  const show = (options, text) => {
    const chosen = options.find(({ href }) => href === active?.href)
    list.replaceChildren(...options)
    list.hidden = options.length === 0
    field.setAttribute('aria-expanded', String(!list.hidden))
    status.textContent = text
    choose(chosen)
  }

  // A result of the page, with its kind and reason, as an option.
  const optionOf = (item, i) => {
    const option = item.querySelector('a')
    option.append(item.querySelector('small'))
    option.className = 'found'
    option.id = `found-${i}`
    option.role = 'option'
    option.tabIndex = -1
    option.setAttribute('aria-selected', 'false')
    return option
  }

  let requests = new AbortController()
  const search = async more => {
    const { signal } = requests
    const address = `${field.form.action}?${new URLSearchParams({ q: field.value, ...more })}`
    try {
      const response = await fetch(address, { signal })
      // The session has ended, and signing in leads to the results.
      if (response.redirected) return location.assign(address)
      if (!response.ok) throw new Error(response.statusText)
      const page = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main')
      const isFinal = more === undefined
      show(
        [...page.querySelectorAll('.results > li')].map(optionOf),
        isFinal ? page.querySelector('[role=status]').textContent : '',
      )
    } catch {
      if (!signal.aborted) show([], status.dataset.failed)
    }
  }

  // Each search for applicants is in the audit log, so it waits until typing has stopped. Everything else is found sooner.
  let timers = []
  const stop = () => {
    requests.abort()
    requests = new AbortController()
    for (const timer of timers) clearTimeout(timer)
    timers = []
  }
  const searchSoon = () => {
    stop()
    if (field.value.trim() === '') show([], '')
    else timers = [setTimeout(search, 150, { applicants: 'no' }), setTimeout(search, 800)]
  }

  const open = text => {
    field.value = text
    show([], '')
    dialog.showModal()
    field.focus()
    if (text !== '') searchSoon()
  }

  field.addEventListener('input', searchSoon)
  field.addEventListener('keydown', event => {
    const options = [...list.children]
    const at = options.indexOf(active)
    if (event.key === 'ArrowDown') choose(options[(at + 1) % options.length])
    else if (event.key === 'ArrowUp') choose(options.at(at <= 0 ? -1 : at - 1))
    else if (event.key === 'Enter' && active) active.click()
    else return
    event.preventDefault()
  })
  dialog.addEventListener('close', stop)
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || target.closest('button')) dialog.close()
  })

  sidebarField?.addEventListener('click', () => open(sidebarField.value))
  sidebarField?.addEventListener('input', () => {
    open(sidebarField.value)
    sidebarField.value = ''
  })
  document.addEventListener('keydown', event => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (dialog.open) field.select()
    else open('')
  })
  for (const key of document.querySelectorAll('.shortcut'))
    if (navigator.platform.startsWith('Mac')) key.textContent = '⌘ K'
}
