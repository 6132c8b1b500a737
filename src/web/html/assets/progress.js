// Updates job progress while jobs are running, without a reload. It stops after ten minutes, so that a page left open doesn't keep its
// session alive. Pages work without it.
const everyMs = 2000
const untilMs = performance.now() + 10 * 60_000

async function refresh() {
  const shown = document.getElementById('progress')
  if (shown?.dataset.underWay !== 'yes' || performance.now() > untilMs) return
  // A control that the user is about to press keeps its position.
  if (!document.hidden && !shown.contains(document.activeElement)) {
    try {
      const response = await fetch(location.href, { headers: { Accept: 'text/html' }, redirect: 'error' })
      if (!response.ok) return
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const fresh = page.getElementById('progress')
      if (fresh === null) return
      for (const { id } of shown.querySelectorAll('details[id][open]'))
        fresh.querySelector(`#${id}`)?.setAttribute('open', '')
      shown.replaceWith(document.importNode(fresh, true))
    } catch {
      // The service is unreachable, or the session has ended. Reloading the page shows which.
      return
    }
  }
  setTimeout(refresh, everyMs)
}

setTimeout(refresh, everyMs)
