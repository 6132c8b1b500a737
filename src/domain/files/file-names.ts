// Names of uploaded files. Uploaders choose them, so they are stored only for display and never become part of a path.

import { type FileType, fileTypes } from './file-types.ts'

/** Maximum length of a stored name in code points. */
const lengthMax = 200

/** Characters that are invisible or change how nearby text is shown, such as direction overrides. Joiners are kept. */
const hidden = /(?![\u200c\u200d])\p{C}/gu

/** The name to store: without folders, control characters and a leading dot, in a bounded length. `"..\\..\\a\0b.pdf"` → `"ab.pdf"`. Never empty. */
export function keptFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1)!
  const shown = last.replace(hidden, '').replace(/\s+/g, ' ').trim().replace(/^\.+/, '')
  const letters = [...shown]
  if (letters.length <= lengthMax) return shown || 'file'
  const extension = /\.[a-z0-9]{1,10}$/i.exec(shown)?.[0] ?? ''
  return letters.slice(0, lengthMax - extension.length).join('') + extension
}

/** The name for saving a file: its extension fits the type, and characters that Windows doesn't allow are replaced. */
export function savedFileName(name: string, type: FileType): string {
  const plain = name.replace(/[<>:"|?*]/g, '_').replace(/[. ]+$/, '')
  const extension = /\.([^.]*)$/.exec(plain)?.[1]?.toLowerCase() ?? ''
  const { extensions } = fileTypes[type]
  return (extensions as readonly string[]).includes(extension) ? plain : `${plain}.${extensions[0]}`
}

/** Content-Disposition of a download (RFC 6266), with an ASCII name for clients that can't read the encoded one. */
export function attachment(name: string): string {
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\%]/g, '_')}"; filename*=UTF-8''${encoded}`
}
