// Notices that a chain of pages leads back to one of its own, and so would never end. It remembers one place at a time, and takes a newer
// one after twice as many steps, so that a circle of any length is found within a few rounds (Brent).

import { ForeignAnswer } from './client-errors.ts'

export class RoundTrip {
  private remembered: string | undefined
  private steps = 0
  private until = 1

  /** Throws when this place was there before. */
  reach(place: string): void {
    if (place === this.remembered) throw new ForeignAnswer('a page that was there before')
    if (++this.steps < this.until) return
    this.remembered = place
    this.steps = 0
    this.until *= 2
  }
}
