// A program in English, Spanish and Arabic, whose Arabic lacks one text.

import type { Translations } from '../../src/domain/fields/translation-schema.ts'
import { type ProgramSpec, q } from './programs.ts'

export type Tag = 'en' | 'es' | 'ar'

/** Each text by its language; a missing one is shown in English. */
export const trilingualTexts = {
  name: { en: 'Heating help', es: 'Ayuda para calefacción', ar: 'مساعدة التدفئة' },
  screen: { en: 'Your home', es: 'Su vivienda', ar: 'منزلك' },
  owner: { en: 'Do you own your home?', es: '¿Es dueño de su vivienda?', ar: 'هل تملك منزلك؟' },
  yes: { en: 'Yes', es: 'Sí', ar: 'نعم' },
  no: { en: 'Not at all', es: 'De ninguna manera', ar: undefined },
  rent: { en: 'Monthly rent', es: 'Alquiler mensual', ar: 'الإيجار الشهري' },
} as const

export const textIn = (name: keyof typeof trilingualTexts, tag: Tag): string =>
  trilingualTexts[name][tag] ?? trilingualTexts[name].en

const translated = <Field extends string>(field: Field, name: keyof typeof trilingualTexts) => {
  const { es, ar } = trilingualTexts[name]
  const translations = { es: { [field]: es }, ...(ar !== undefined && { ar: { [field]: ar } }) }
  return { [field]: trilingualTexts[name].en, translations } as unknown as Record<Field, string> & {
    translations: Translations<Field>
  }
}

export const trilingualProgram = (slug: string): ProgramSpec => {
  const { display_name, translations } = translated('display_name', 'name')
  return {
    slug,
    display_name,
    details: { languages: ['es', 'ar'], translations },
    screens: [
      {
        ...translated('name', 'screen'),
        questions: [
          q.radio('owns home', [], {
            ...translated('text', 'owner'),
            options: [
              { admin_id: 'owner', ...translated('text', 'yes') },
              { admin_id: 'tenant', ...translated('text', 'no') },
            ],
          }),
          q.currency('monthly rent', {
            ...translated('text', 'rent'),
            optional: true,
            visible_when: { question: 'owns home', field: 'selection', operator: 'equal', value: 'tenant' },
          }),
        ],
      },
    ],
  }
}
