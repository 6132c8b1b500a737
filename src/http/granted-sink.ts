// A page is read while it is still being asked whether its key may have it; nothing of it goes out before that is known.

import type { Sink } from '../export/page-outlet.ts'

/** A sink that hands on its first bytes once `granted` has resolved; if it rejects, so does that write. */
export function onceGranted(granted: Promise<unknown>, sink: Sink): Sink {
  let open = false
  void granted.then(
    () => {
      open = true
    },
    () => {},
  )
  return {
    writesMax: sink.writesMax ?? 1,
    write: (bytes, last) => (open ? sink.write(bytes, last) : granted.then(() => sink.write(bytes, last))),
  }
}
