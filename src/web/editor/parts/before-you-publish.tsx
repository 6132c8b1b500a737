// Lists what is missing or unusual, each with a link to its place.

/** @jsxImportSource preact */

import { useMemo } from 'preact/hooks'
import { fieldId, useEditing } from '../fields/editing.tsx'
import { remarksOn } from '../model/before-publishing.ts'

const shownMax = 10

export function BeforeYouPublish() {
  const { document, errors, select, focus, seekMissing } = useEditing()
  const remarks = useMemo(() => remarksOn(document, errors), [document, errors])
  return (
    <section class="card" aria-labelledby="before">
      <h2 id="before">Before you publish</h2>
      {remarks.length === 0 && <p class="soft">Nothing is missing.</p>}
      <ul class="plain-list">
        {remarks.slice(0, shownMax).map(({ code, text, at, field, language }) => (
          <li key={`${code} ${text}`}>
            <button
              type="button"
              class="quiet remark"
              data-remark={code}
              dir="auto"
              onClick={() => {
                if (language !== undefined) seekMissing(language)
                else {
                  select(at)
                  focus(field === undefined ? 'first-field' : fieldId(field))
                }
              }}
            >
              {text}
            </button>
          </li>
        ))}
        {remarks.length > shownMax && <li class="soft">and {remarks.length - shownMax} more</li>}
      </ul>
    </section>
  )
}
