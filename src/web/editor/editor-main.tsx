// Starts the editor in the page that the service sent.

/** @jsxImportSource preact */

import { render } from 'preact'
import { Editor } from './parts/editor.tsx'
import { Service } from './saving/editor-service.ts'

const place = document.getElementById('editor')!
const { root = '', slug = '', csrf = '', person } = place.dataset
const service = new Service(root, slug, csrf, Number(person))

async function open(): Promise<void> {
  const program = await service.open()
  if (!('failed' in program)) {
    place.replaceChildren()
    return render(<Editor service={service} program={program} />, place)
  }
  if (program.failed === 'signed_out') return location.reload()
  place.querySelector('.opening')!.textContent = 'The program can’t be opened now. Trying again…'
  setTimeout(() => void open(), 3000)
}

void open()
