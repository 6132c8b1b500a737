// Runs a sample request with the browser's credentials for this page, and shows the response in the code panel, where each key links to its
// description. Pages work without it.

const panel = document.querySelector('[data-response]')
const [status, headers, body] = ['[data-status]', '[data-headers]', '.json'].map(part => panel?.querySelector(part))
/** From the latest first page, for the samples that continue it. */
const last = { nextPageToken: '', snapshotTime: '' }
const timeoutMs = 60_000
/** Longer responses are cut: the page is for reading them. */
const charsMax = 200_000

async function request(url) {
  const { pathname, search } = new URL(url)
  const response = await fetch(pathname + search, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  const snapshotTime = response.headers.get('Snapshot-Time')
  if (snapshotTime !== null) {
    last.snapshotTime = snapshotTime
    last.nextPageToken = JSON.parse(text).nextPageToken ?? ''
  }
  return { response, text }
}

const first = document.querySelector('#content .folds [data-run]')

/** Samples that continue a first page request one first, unless there is one. */
async function runnable(url) {
  const name = /\{(\w+)\}/.exec(url)?.[1]
  if (name === undefined) return url
  if (last[name] === '') await request(first.dataset.run)
  return last[name] === '' ? first.dataset.run : url.replace(`{${name}}`, encodeURIComponent(last[name]))
}

async function run({ dataset }) {
  panel.hidden = false
  status.textContent = 'Running …'
  headers.replaceChildren()
  body.replaceChildren()
  if (dataset.sample === undefined) panel.scrollIntoView({ block: 'nearest' })
  const started = performance.now()
  try {
    const url = await runnable(dataset.run)
    const { response, text } = await request(url)
    if (dataset.sample === '')
      show(
        JSON.stringify(JSON.parse(text).example),
        `${response.status} ${response.statusText}: sample data. With an API key, Run shows your data.`,
      )
    else {
      for (const [name, value] of response.headers) {
        const [term, description] = [document.createElement('dt'), document.createElement('dd')]
        term.textContent = name
        description.textContent = value
        headers.append(term, description)
      }
      show(
        text,
        `${response.status} ${response.statusText} in ${Math.round(performance.now() - started)} ms: GET ${url}`,
      )
    }
  } catch (error) {
    status.textContent = `The request failed. ${error.message}`
  }
  panel.scrollIntoView({ block: 'nearest' })
}

function show(text, summary) {
  status.textContent = summary
  headers.closest('details').hidden = headers.childElementCount === 0
  try {
    body.append(...lines(JSON.parse(text), { depth: 0, before: [], end: '', names: [] }))
  } catch {
    body.textContent = text.slice(0, charsMax)
  }
}

const spanOf = (className, text) => {
  const span = document.createElement('span')
  span.className = className
  span.textContent = text
  return span
}

const kinds = { string: 's', number: 'n' }

/** The lines of a value, as written by JSON.stringify(value, null, 2). `names` are the members on the path to it. */
function lines(value, { depth, before, end, names }) {
  const line = (...parts) => {
    const span = spanOf(`d${Math.min(depth, 12)}`, '')
    const indentation = document.createElement('i')
    indentation.textContent = '  '.repeat(depth)
    span.append(...(depth === 0 ? [] : [indentation]), ...parts)
    return span
  }
  const many = Array.isArray(value)
  const entries = value === null || typeof value !== 'object' ? [] : Object.entries(value)
  if (entries.length === 0)
    return [line(...before, spanOf(kinds[typeof value] ?? 'l', JSON.stringify(value)), `${end}\n`)]
  const members = entries.flatMap(([name, member], i) => {
    const path = many ? names : [...names, name]
    return lines(member, {
      depth: depth + 1,
      before: many ? [] : [keyOf(name, path), ': '],
      end: i === entries.length - 1 ? '' : ',',
      names: path,
    })
  })
  return [line(...before, many ? '[\n' : '{\n'), ...members, line(many ? ']' : '}', `${end}\n`)]
}

/** A key, as a link to its description: its question, the question it belongs to, or a metadata field. */
function keyOf(name, names) {
  const key = spanOf('k', JSON.stringify(name))
  const at = names.indexOf('application')
  const path = names.slice(at + 1).filter(step => step !== 'entities')
  const anchors = at === -1 ? [`field-${name}`] : path.map((_, i) => `q-${path.slice(0, path.length - i).join('.')}`)
  const anchor = [...anchors, ...(path.length === 0 ? ['field-application'] : [])].find(
    id => document.getElementById(id) !== null,
  )
  if (anchor === undefined) return key
  const link = document.createElement('a')
  link.href = `#${anchor}`
  link.textContent = key.textContent
  key.replaceChildren(link)
  return key
}

if (panel !== null)
  for (const button of document.querySelectorAll('[data-run]')) {
    button.hidden = false
    button.addEventListener('click', () => run(button))
  }
