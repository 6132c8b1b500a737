// Shows the progress of long work on a terminal; silent anywhere else.

import { Presets, SingleBar } from 'cli-progress'

interface Progress {
  /** The number done so far, of the total. */
  update(done: number, note: string): void
  stop(): void
}

const silent: Progress = { update: () => {}, stop: () => {} }

/** A bar on standard error. `total` may be undefined if unknown; then only the note is shown. */
export function startProgress(total: number | undefined): Progress {
  if (!process.stderr.isTTY) return silent
  const format = total === undefined ? '  {note}' : '  {bar} {percentage} % | {note}'
  const bar = new SingleBar(
    { format, stream: process.stderr, hideCursor: true, clearOnComplete: true },
    Presets.shades_classic,
  )
  bar.start(total ?? 1, 0, { note: '' })
  return {
    update: (done, note) => bar.update(total === undefined ? 0 : Math.min(done, total), { note }),
    stop: () => bar.stop(),
  }
}

export const inThousands = (count: number): string => count.toLocaleString('en-US')
