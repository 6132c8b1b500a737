// JSON text into plain values, fast, without a number being changed on the way: what a double cannot hold keeps its own text.
// It must not know what the numbers mean.

import { isJsonArray, isJsonObject, type Json, JsonNumber, parseJson } from '../../domain/values/json-text.ts'

/**
 * As JSON.parse, except that a number which a double would change (`9007199254740993`, `0.1000000000000000000001`, `1e400`) stays
 * a JsonNumber. Throws an Error that says what is wrong with the text.
 *
 * A decimal of up to 15 significant digits survives a double unchanged, so only text with longer numbers, or exponents, goes
 * through the exact parser, at about a tenth of the speed; text within strings can look like that too, and costs time and nothing
 * else. Of a key that stands twice in one object JSON.parse takes the last; the exact parser refuses it.
 */
export function parseExactJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text)
  const parsed = parseJson(text, depthMax)
  if ('fault' in parsed)
    throw new Error(`${parsed.fault.path === '' ? '' : `${parsed.fault.path}: `}${parsed.fault.detail}`)
  return plainValue(parsed.json)
}

const depthMax = 512
/** Numbers in arrays are not looked for: nothing that is read here has any. */
const longNumber = /:\s*-?[0-9](?:[0-9.]{15}|[0-9.]*[eE])/

function plainValue(json: Json): unknown {
  if (json instanceof JsonNumber) return plainNumber(json)
  if (isJsonArray(json)) return json.map(plainValue)
  if (!isJsonObject(json)) return json
  // As JSON.parse: a key such as `__proto__` is a member like any other.
  const object: Record<string, unknown> = {}
  for (const [key, value] of json)
    Object.defineProperty(object, key, {
      value: plainValue(value),
      enumerable: true,
      writable: true,
      configurable: true,
    })
  return object
}

function plainNumber(number: JsonNumber): number | JsonNumber {
  const value = Number(number.source)
  return Number.isFinite(value) && significance(number.source) === significance(String(value)) ? value : number
}

/** A decimal in a form that two spellings of one value share: sign, digits without zeros at either end, power of ten. */
function significance(source: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(
    source,
  )!
  const digits = whole + fraction
  let first = 0
  while (digits[first] === '0') first++
  if (first === digits.length) return '0'
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return `${sign}${digits.slice(first, end)}e${Number(power) - fraction.length + digits.length - end}`
}
