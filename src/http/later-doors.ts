// Doors that are made when somebody first comes to one of them.

interface Doors {
  fetch(request: Request): Response | Promise<Response>
}

export class LaterDoors {
  #doors: Doors | undefined
  #making: Promise<Doors> | undefined

  constructor(private readonly make: () => Promise<Doors>) {}

  fetch(request: Request): Response | Promise<Response> {
    return this.#doors?.fetch(request) ?? this.#made().then(doors => doors.fetch(request))
  }

  /** Made once for all who come meanwhile; again for the next, should it fail. */
  #made(): Promise<Doors> {
    this.#making ??= this.make().then(
      doors => (this.#doors = doors),
      error => {
        this.#making = undefined
        throw error
      },
    )
    return this.#making
  }
}
