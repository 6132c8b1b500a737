// Stops between two statements that both succeed, for what another transaction commits there.

import type { Sql } from '../../src/db/client.ts'

/** `sql`, except that the first statement containing `words` waits for `act`. Statements before it have read what was there without `act`. */
export function actingBefore(sql: Sql, words: string, act: () => Promise<unknown>): Sql {
  let acted: Promise<unknown> | undefined
  return new Proxy(sql, {
    apply(target, self, args: Parameters<Sql>) {
      const query = Reflect.apply(target, self, args)
      if (!Array.isArray(args[0]) || !args[0].join('?').includes(words)) return query
      // A query is sent when it is first awaited.
      const send = query.then.bind(query)
      return Object.assign(query, {
        // biome-ignore lint/suspicious/noThenProperty: what waits for it calls this
        then: (...next: Parameters<typeof send>) => {
          acted ??= act()
          return acted.then(() => send(...next))
        },
      })
    },
  })
}
