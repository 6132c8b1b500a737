// Offers questions from the question bank that are similar to a new one. Using one lets answers be compared between programs.

/** @jsxImportSource preact */

import { useEffect, useState } from 'preact/hooks'
import type { QuestionDefinition } from '../../../domain/definitions/program-definition.ts'
import { useEditing } from '../fields/editing.tsx'
import { questionNamed, replaced } from '../model/adding.ts'
import type { SimilarQuestion } from '../saving/program-for-editing.ts'

const pauseMs = 400

export function BankOffers({ question: { admin_name: name, text } }: { question: QuestionDefinition }) {
  const { document, editLate, service, fix, taken } = useEditing()
  const [similar, setSimilar] = useState<readonly SimilarQuestion[]>([])
  useEffect(() => {
    if (text.trim().length < 3) return setSimilar([])
    const timer = setTimeout(async () => {
      const found = await service.similar(text)
      if (!('failed' in found)) setSimilar(found.items)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const offered = similar.filter(
    ({ admin_name, enumerator }) =>
      questionNamed(document, admin_name) === undefined &&
      (enumerator === null || questionNamed(document, enumerator) !== undefined),
  )
  const use = async (question: SimilarQuestion): Promise<void> => {
    const found = await service.banked(question.admin_name)
    const banked = 'failed' in found ? undefined : found.find(({ admin_name }) => admin_name === question.admin_name)
    if (banked === undefined) return
    const { admin_name, kind, enumerator, settings } = banked
    const definition = { ...settings, admin_name, kind, ...(enumerator !== null && { enumerator }) }
    fix({ admin_name, option_ids: settings.options?.map(({ admin_id }) => admin_id) ?? [], used_by: question.used_by })
    editLate(present => replaced(present, name, definition, taken))
  }
  return (
    <>
      {offered.map(question => (
        <div class="notice info offer">
          <p dir="auto">
            The question bank has “{question.text}”, used by{' '}
            {question.used_by.length > 2 ? `${question.used_by.length} programs` : question.used_by.join(' and ')}.
          </p>
          <button type="button" class="plain" onClick={() => void use(question)}>
            Use this question
          </button>
        </div>
      ))}
    </>
  )
}
