// Waiting for what happens beside a request, without guessing how long it takes.

/** Resolves with the first value that is neither undefined, null nor false; fails after ten seconds. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  const deadlineMs = performance.now() + 10_000
  while (performance.now() < deadlineMs) {
    const value = await condition()
    if (value !== undefined && value !== null && value !== false) return value as Exclude<T, undefined | null | false>
    await Bun.sleep(5)
  }
  throw new Error(`waited ten seconds in vain for ${what}`)
}
