// A question that asks for a list, such as the people in a household. Each has a name here; other questions are repeated for each of them.

/** @jsxImportSource preact */

import { type FieldProps, Group, TextInput, Unseen } from './field-parts.tsx'
import { filled } from './field-view.ts'

/** The name of the button that adds an entity, with the list's path as its value, and of the one that removes an entity, with its path. */
export const [addButton, removeButton] = ['add', 'remove'] as const

export function ListField({ path, ...props }: FieldProps & { path: string }) {
  const { view } = props
  const { words, values } = view
  const list = `${path}/entities`
  const indexes = values.entityIndexes(list)
  const next = (indexes.at(-1) ?? -1) + 1
  const rows = indexes.length === 0 || values.get(addButton) === list ? [...indexes, next] : indexes
  return (
    <Group {...props} name={list}>
      {rows.map((index, i) => {
        const label = filled(words.entity, { number: i + 1 })
        const name = values.get(`${list}/${index}/entity_name`) ?? ''
        return (
          <div class="entity">
            <TextInput view={view} name={`${list}/${index}/entity_name`} label={label} />
            {indexes.length > 0 && (
              <button type="submit" class="quiet" name={removeButton} value={`${list}/${index}`}>
                {words.remove}
                <Unseen text={name === '' ? label : name} />
              </button>
            )}
          </div>
        )
      })}
      <button type="submit" class="plain" name={addButton} value={list}>
        {words.add}
        <Unseen text={props.label} />
      </button>
    </Group>
  )
}
