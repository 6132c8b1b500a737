// A process that is restarted whenever it ends, as by a service manager.

/** A process that is restarted whenever it ends, until `stop`. */
export class Kept {
  #child: Bun.Subprocess | undefined
  #stopping = false
  /** How often it was started. */
  starts = 0
  readonly #running: Promise<void>

  constructor(private readonly start: () => Promise<Bun.Subprocess>) {
    this.#running = this.#keep()
  }

  get pid(): number | undefined {
    return this.#child?.exitCode === null && this.#child.signalCode === null ? this.#child.pid : undefined
  }

  kill(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#stopping = true
    this.kill(signal)
    await this.#running
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      this.#child = await this.start()
      this.starts++
      await this.#child.exited
      // No faster than a service manager would.
      if (!this.#stopping) await Bun.sleep(200)
    }
  }
}
