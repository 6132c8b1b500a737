// The formats of answers that no question can change: codes, patterns and lists the specification names.
// It must not know bounds or options, which each question sets for itself, nor what happens to an answer that does not fit.

/** Two-letter USPS codes: 50 states, DC, 8 territories. Source: spec, ADDRESS, `state`. */
export const stateCodes: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD ' +
    'TN TX UT VT VA WA WV WI WY DC AS FM GU MH MP PR PW VI'
  ).split(' '),
)

/** Source: spec, NAME, `suffix`. */
export const nameSuffixes: ReadonlySet<string> = new Set(['JR', 'SR', 'I', 'II', 'III', 'IV', 'V'])

/** Source: spec, ADDRESS, `zip`: "5 digits, or 5 digits, a dash and 4 digits". */
export const zipPattern = /^[0-9]{5}(?:-[0-9]{4})?$/

/** Source: spec, ADDRESS, `latitude`: "signed floating-point number as a string". */
export const coordinatePattern = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * Source: spec, ADDRESS, `service_area`: comma-separated `<service_area_name>_<inclusion_state>_<unix_timestamp>`.
 * A space after a comma is part of the name. An optional one there would match in two ways, and 40 such items take hours.
 */
export const serviceAreaPattern =
  /^[^,]+_(?:InArea|NotInArea|Failed)_[0-9]+(?:,[^,]+_(?:InArea|NotInArea|Failed)_[0-9]+)*$/

/** Source: spec, ID: "digits only, pattern `^[0-9]*$`". ASCII digits only. */
export const idPattern = /^[0-9]*$/

/** E.164: a plus, a country code that does not begin with 0, 15 digits at most. Source: spec, PHONE. */
export const phonePattern = /^\+[1-9][0-9]{1,14}$/

/** Whether a text is `YYYY-MM-DD` and that day exists, in the years 0001 to 9999. Source: spec, DATE. */
export function isCalendarDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text)
  if (match === null) return false
  const year = Number(match[1])
  const month = Number(match[2])
  const day = Number(match[3])
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
