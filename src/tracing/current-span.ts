// The span that what runs just now belongs to, wherever that is: so that no function has to be handed one.
// Without tracing there is none, and asking for it is all that it costs.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from './span.ts'

const storage = new AsyncLocalStorage<Span>()

export const currentSpan = (): Span | undefined => storage.getStore()

/** Runs work, and all that it begins, under a span, whose end is left to the caller. */
export const underSpan = <T>(span: Span | undefined, work: () => T): T =>
  span === undefined ? work() : storage.run(span, work)

/** Runs work as a part of the present span, if there is one. */
export async function traced<T>(name: string, work: () => Promise<T>): Promise<T> {
  const span = currentSpan()?.child(name)
  if (span === undefined) return work()
  try {
    const result = await underSpan(span, work)
    span.end()
    return result
  } catch (error) {
    span.end(true)
    throw error
  }
}
