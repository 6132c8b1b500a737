// Converts JSON numbers to exact values without rounding.

/** More digits than any integer in the range that doubles hold completely. */
const digitsMax = 21

/**
 * The integer that a JSON number represents if it is within ±(2^53 − 1), so that no client loses a digit; undefined for any other number (D19). `1e3`
 * and `1.0` are integers.
 */
export function exactInteger(source: string): number | undefined {
  return safeInteger(source, 0)
}

/** The cents that a JSON number of dollars represents; undefined if it has more than two decimals or too many digits (D18). */
export function exactCents(source: string): number | undefined {
  return safeInteger(source, 2)
}

function safeInteger(source: string, shift: number): number | undefined {
  const value = Number(scaledInteger(source, shift) ?? Number.NaN)
  return Number.isSafeInteger(value) ? value : undefined
}

/** Whether a double represents a JSON number exactly. */
export function isExactAsDouble(source: string): boolean {
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  const [written, held] = [parseDecimal(source), parseDecimal(String(value))]
  return written.digits === held.digits && written.sign === held.sign && written.exponent === held.exponent
}

/** `source` × 10^`shift`, if that is an integer of at most `digitsMax` digits. */
function scaledInteger(source: string, shift: number): bigint | undefined {
  const { sign, digits, exponent } = parseDecimal(source)
  if (digits === '') return 0n
  const zeros = exponent + shift
  if (zeros < 0 || digits.length + zeros > digitsMax) return undefined
  return BigInt(`${sign}${digits}${'0'.repeat(zeros)}`)
}

/** `sign` `digits` × 10^`exponent`, without leading or trailing zeros in the digits; zero has no digits and no sign. */
function parseDecimal(source: string): { sign: string; digits: string; exponent: number } {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source)
  if (match === null) throw new Error('not a JSON number')
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const digits = whole + fraction
  // A loop, because a pattern for trailing zeros takes quadratic time on long runs of zeros.
  let first = 0
  while (digits[first] === '0') first++
  if (first === digits.length) return { sign: '', digits: '', exponent: 0 }
  let end = digits.length
  while (digits[end - 1] === '0') end--
  const exponent = Number(exponentText) - fraction.length + (digits.length - end)
  return { sign, digits: digits.slice(first, end), exponent }
}
