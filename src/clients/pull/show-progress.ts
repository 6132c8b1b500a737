// Shows the progress of a pull: a line that updates in place on a terminal, and an occasional plain line elsewhere.

import { Presets, SingleBar } from 'cli-progress'
import type { PullProgress } from './requests/pull-request.ts'

interface Shown {
  update: (progress: PullProgress) => void
  stop: () => void
}

const plainEveryMs = 10_000

export const inThousands = (count: number): string => count.toLocaleString('en-US')

export function inBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB']
  const unit = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`
}

export function showProgress(say: (line: string) => void): Shown {
  const startedMs = performance.now()
  let first: PullProgress | undefined
  const note = (progress: PullProgress): string => {
    first ??= progress
    const { applications, bytes, total } = progress
    const seconds = (performance.now() - startedMs) / 1000
    const rate = (applications - first.applications) / Math.max(0.001, seconds)
    const of = total === undefined ? '' : ` of ${inThousands(Math.max(total, applications))}`
    const isSteady = total !== undefined && rate >= 1 && seconds >= 2
    const left = isSteady ? `, ${inTime(Math.max(0, total - applications) / rate)} left` : ''
    return `${inThousands(applications)}${of} applications, ${inThousands(Math.round(rate))} a second, ${inBytes(bytes)}${left}`
  }
  if (!process.stderr.isTTY) {
    let saidMs = startedMs
    const update = (progress: PullProgress): void => {
      first ??= progress
      if (performance.now() - saidMs < plainEveryMs) return
      saidMs = performance.now()
      say(note(progress))
    }
    return { update, stop: () => {} }
  }
  let bar: SingleBar | undefined
  const update = (progress: PullProgress): void => {
    const { applications, total } = progress
    if (bar === undefined) {
      const format = total === undefined ? '  {note}' : '  {bar} {percentage} % | {note}'
      const options = { format, stream: process.stderr, hideCursor: true, clearOnComplete: true, fps: 5 }
      bar = new SingleBar(options, Presets.shades_classic)
      bar.start(total ?? 1, 0, { note: '' })
    }
    bar.update(total === undefined ? 0 : Math.min(applications, total), { note: note(progress) })
  }
  return { update, stop: () => bar?.stop() }
}

function inTime(seconds: number): string {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole} s` : whole < 3600 ? `${Math.round(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`
}
