// Waits for a promise with a time limit.

/** Whether a promise settles within this many milliseconds; rejects if the promise does. The promise continues either way. */
export async function settledWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: Timer | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, Math.max(0, ms), false)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
