// Suggests the key that a mistyped key was probably meant to be.

/** Longer keys are not compared. */
const lengthMax = 200

/** The most similar of the keys, ignoring case, if at most a third of its characters differ. */
export function nearestKey(key: string, known: Iterable<string>): string | undefined {
  if (key.length > lengthMax) return undefined
  const wanted = key.toLowerCase()
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    if (candidate.length > lengthMax) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance < least && distance <= Math.ceil(Math.max(candidate.length, key.length) / 3)) {
      nearest = candidate
      least = distance
    }
  }
  return nearest
}

/** Levenshtein distance: insertions, deletions and replacements between two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
