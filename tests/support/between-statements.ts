// Stops between two statements that both succeed, for what another transaction commits there.

import type { Sql } from '../../src/db/client.ts'

/** `sql`, on which the first statement that holds `words` waits for `act`. Everything that came before it has read what was there without it. */
export function actingBefore(sql: Sql, words: string, act: () => Promise<unknown>): Sql {
  let acted: Promise<unknown> | undefined
  return new Proxy(sql, {
    apply(target, self, args: Parameters<Sql>) {
      const query = Reflect.apply(target, self, args)
      if (!Array.isArray(args[0]) || !args[0].join('?').includes(words)) return query
      // A query is sent when it is first waited for.
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
