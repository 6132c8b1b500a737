// A question that asks for files. Intake takes the addresses of files that are kept elsewhere (D17), so applicants enter links to them.

/** @jsxImportSource preact */

import { type FieldProps, TextBlock } from './field-parts.tsx'

export function FileField({ path, ...props }: FieldProps & { path: string }) {
  const { hint, view } = props
  const how = [hint, view.words.filesHint].filter(Boolean).join(' ')
  return <TextBlock {...props} name={`${path}/file_urls`} hint={how} rows={2} />
}
