// Waits until a started process responds.

/** Whether an address returns success in time; false immediately if the process ends before. */
export async function answersInTime(
  url: string,
  process?: Pick<Bun.Subprocess, 'exitCode' | 'signalCode'>,
): Promise<boolean> {
  const endMs = performance.now() + 30_000
  while (performance.now() < endMs && (process?.exitCode ?? process?.signalCode ?? null) === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return true
    await Bun.sleep(20)
  }
  return false
}
