// Waiting for what happens alongside a request, without guessing how long it takes.

/**
 * Resolves with the first value that is neither undefined, null nor false; fails after half a minute, which only an error or a very busy machine
 * takes.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const deadlineMs = performance.now() + 30_000
  while (performance.now() < deadlineMs) {
    const value = await condition()
    if (value !== undefined && value !== null && value !== false) return value as Exclude<T, undefined | null | false>
    await Bun.sleep(5)
  }
  throw new Error(`waited half a minute in vain for ${what}`)
}
