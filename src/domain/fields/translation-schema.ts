// The schema of `translations`: the texts of a definition's element in languages other than the default one.

import { type TSchema, Type } from 'typebox'

/** By language tag and name of the translated text: `{"es": {"text": "…"}}`. */
export type Translations<Field extends string = string> = Readonly<
  Record<string, { readonly [Name in Field]?: string | undefined }>
>

/** The translations of an element whose texts have these schemas. */
export const translationsOf = <Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) =>
  Type.Optional(
    Type.Unsafe<Translations<keyof Fields & string>>(
      Type.Record(
        Type.String(),
        Type.Object(Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])), {
          additionalProperties: false,
          title: 'Translated texts',
        }),
        {
          title: 'Translations',
          description:
            'Texts in other languages, by a language tag from `languages`: `{"es": {"text": "…"}}`. Missing texts fall back to the default language.',
        },
      ),
    ),
  )
