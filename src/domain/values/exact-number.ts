// Numbers as they are written in JSON, turned into exact values and never by way of a rounded one.
// It must not know what is counted.

/** Longest integer that String() writes digit by digit. */
const digitsMax = 21

/**
 * The integer a JSON number stands for, if a double holds exactly it and writes exactly it; undefined for any other number (D19).
 * `1e3` and `1.0` are integers; `9007199254740993` is none that a double holds.
 */
export function exactInteger(source: string): number | undefined {
  const integer = scaledInteger(source, 0)
  if (integer === undefined) return undefined
  const value = Number(integer)
  return BigInt(value) === integer && String(value) === String(integer) ? value : undefined
}

/** The whole cents a JSON number of dollars stands for; undefined if it has more than two decimals or too many digits (D18). */
export function exactCents(source: string): number | undefined {
  const cents = scaledInteger(source, 2)
  if (cents === undefined) return undefined
  const value = Number(cents)
  return Number.isSafeInteger(value) ? value : undefined
}

/** `source` × 10^`shift`, if that is an integer of at most `digitsMax` digits. */
function scaledInteger(source: string, shift: number): bigint | undefined {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source)
  if (match === null) throw new Error('not a JSON number')
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const digits = whole + fraction
  // By hand: a pattern for zeros at the end takes quadratic time on long runs of zeros within.
  let first = 0
  while (digits[first] === '0') first++
  if (first === digits.length) return 0n
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const exponent = Number(exponentText) - fraction.length + (digits.length - end) + shift
  if (exponent < 0 || end - first + exponent > digitsMax) return undefined
  return BigInt(`${sign}${digits.slice(first, end)}${'0'.repeat(exponent)}`)
}
