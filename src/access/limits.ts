// How much one API key may ask for: requests a minute, exports at a time (contract D23). Counted in this process alone.
// Failed authentications are not counted here: they have no key (failure-throttle).

import type { Micros } from '../domain/values/offset-time.ts'
import { type KeyQuota, Problem } from '../problem.ts'
import { MinuteCounts, secondsLeft } from './minute-counts.ts'

interface KeyLimitSettings {
  /** 0 for no limit. */
  requestsPerMinute: number
  /** 0 for no limit. */
  exportsAtATime: number
}

/** How long an export usually takes at most; when a place will be free is not known. */
const exportRetrySeconds = 5

/** Holds two small entries per key that is in use, so its size is bounded by the number of keys. */
export class KeyLimits {
  readonly #requests = new MinuteCounts<string>()
  readonly #exports = new Map<string, number>()
  /** What is limited at all. */
  readonly #quota: KeyQuota

  constructor(
    private readonly settings: KeyLimitSettings,
    private readonly now: () => Micros,
  ) {
    const { requestsPerMinute, exportsAtATime } = settings
    this.#quota = {
      ...(requestsPerMinute > 0 && { requestsPerMinute }),
      ...(exportsAtATime > 0 && { exportsAtATime }),
    }
  }

  /**
   * Counts one request of a key, or of an administrator's token, and returns what is left. Throws Problem `rate_limited` when it
   * is one too many.
   */
  takeRequest(apiKeyId: string, what = 'API key'): KeyQuota {
    const quota = this.settings.requestsPerMinute
    if (quota === 0) return this.#quota
    const now = this.now()
    const minute = this.#requests.at(apiKeyId, now)
    const seconds = secondsLeft(minute, now)
    if (minute.count >= quota) {
      throw new Problem('rate_limited', {
        detail: `This ${what} may make ${quota} requests a minute. Try again in ${seconds} s.`,
        internal: 'requests_per_minute',
        retryAfterSeconds: seconds,
        quota: { ...this.#quota, left: { requests: 0, seconds } },
      })
    }
    minute.count++
    return { ...this.#quota, left: { requests: quota - minute.count, seconds } }
  }

  /**
   * Takes one of a key's places for exports and returns what gives it back; calling that twice is harmless.
   * Throws Problem `rate_limited` when none is free.
   */
  beginExport(apiKeyId: string): () => void {
    const quota = this.settings.exportsAtATime
    if (quota === 0) return () => {}
    const running = this.#exports.get(apiKeyId) ?? 0
    if (running >= quota) {
      throw new Problem('rate_limited', {
        detail: `This API key may have ${quota} ${quota === 1 ? 'export' : 'exports'} under way at a time. Try again when one has ended.`,
        internal: 'exports_at_a_time',
        retryAfterSeconds: exportRetrySeconds,
        quota: { ...this.#quota, left: { exports: 0 } },
      })
    }
    this.#exports.set(apiKeyId, running + 1)
    let held = true
    return () => {
      if (!held) return
      held = false
      const left = this.#exports.get(apiKeyId)! - 1
      if (left > 0) this.#exports.set(apiKeyId, left)
      else this.#exports.delete(apiKeyId)
    }
  }
}
