// Detects a chain of pages that leads back to an earlier page and would never end. It remembers one page at a time and replaces it after
// twice as many steps, so a cycle of any length is found within a few rounds (Brent's algorithm).

import { ForeignAnswer } from './client-errors.ts'

export class RoundTrip {
  private remembered: string | undefined
  private steps = 0
  private until = 1

  /** Throws if this position occurred before. */
  reach(place: string): void {
    if (place === this.remembered) throw new ForeignAnswer('a page that was already received')
    if (++this.steps < this.until) return
    this.remembered = place
    this.steps = 0
    this.until *= 2
  }
}
