// The questions that a document of a program names, each by its path with dots between keys.

interface Documented {
  questions: { path: string }[]
}

/** Of docs as JSON. */
export const documentedPaths = ({ questions }: Documented): string[] =>
  questions.map(({ path }) => path.replace(/^application\./, '').replaceAll('.entities[<index>]', ''))

type Schema = Record<string, never> & {
  $ref?: string
  items?: Schema
  properties?: Record<string, Schema>
}

/** Of the schema of a page, which stands in a document with what it refers to. */
export function schemaPaths(document: unknown, page: Schema): string[] {
  const resolved = (schema: Schema | undefined): Schema => {
    if (schema?.$ref === undefined) return schema ?? ({} as Schema)
    let found = document as Record<string, unknown>
    for (const part of schema.$ref.replace(/^#\//, '').split('/')) found = found[part] as Record<string, unknown>
    return resolved(found as Schema)
  }
  const member = (schema: Schema, name: string): Schema => resolved(resolved(schema).properties?.[name])
  const paths = (answers: Schema, within: string): string[] =>
    Object.entries(resolved(answers).properties ?? {}).flatMap(([key, question]) => {
      if (key === 'entity_name') return []
      const entities = member(question, 'entities')
      return [`${within}${key}`, ...(entities.items === undefined ? [] : paths(entities.items, `${within}${key}.`))]
    })
  const application = resolved(member(page, 'payload').items)
  return paths(member(application, 'application'), '')
}
