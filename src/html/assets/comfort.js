// Comfort only: every page does without it. Copies what a button names, and says so.
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
