// Checks the answer to an ADDRESS question, and what address correction says about it.
// It must not know how addresses are corrected: the form front end does that and sends the result.

import { coordinatePattern, serviceAreaPattern, stateCodes, zipPattern } from '../../domain/questions/answer-formats.ts'
import { type Answer, correctedStates } from '../../domain/questions/answers.ts'
import type { AnswerFields } from './answer-fields.ts'

type Address = Extract<Answer, { type: 'ADDRESS' }>

/** The results of address correction other than the verdict. */
const locationFields = ['latitude', 'longitude', 'well_known_id', 'service_area'] as const
const correctionFields = ['corrected', ...locationFields] as const

export interface Correction {
  /** Whether the question corrects addresses at all. */
  enabled: boolean
  /** Whether the answer has to be complete by now. */
  final: boolean
}

/**
 * Source: spec, ADDRESS: "if any of `street`, `line2`, `city`, `state`, `zip` is provided, all of them except `line2` are
 * required"; `corrected` is "`null` if unanswered or address correction is not enabled"; `latitude` and its like "`null` if
 * unanswered, not corrected, correction failed, or the user kept the address as entered".
 * Results of a correction that was switched off since the answer was saved are dropped from a final answer.
 */
export function checkAddress(fields: AnswerFields, correction: Correction): Address | 'faulty' {
  const street = fields.text('street')
  const line2 = fields.optionalText('line2')
  const city = fields.text('city')
  const state = fields.formatted(
    'state',
    text => stateCodes.has(text),
    'a USPS code of two capital letters, such as WA',
  )
  const zip = fields.formatted('zip', text => zipPattern.test(text), '5 digits, or 5 digits, a dash and 4 digits')
  const corrected = checkCorrection(fields, correction)
  if (street === undefined || line2 === undefined || city === undefined || state === undefined || zip === undefined)
    return 'faulty'
  return corrected === undefined ? 'faulty' : { type: 'ADDRESS', street, line2, city, state, zip, ...corrected }
}

type CorrectionResult = Pick<Address, (typeof correctionFields)[number]>

const uncorrected: CorrectionResult = {
  corrected: null,
  latitude: null,
  longitude: null,
  well_known_id: null,
  service_area: null,
}

function checkCorrection(fields: AnswerFields, correction: Correction): CorrectionResult | undefined {
  if (!correction.enabled) {
    const given = correction.final ? [] : correctionFields.filter(name => fields.raw(name) !== null)
    for (const name of given)
      fields.fault(name, 'not_allowed', 'Must be null: this question does not correct addresses.')
    return given.length === 0 ? uncorrected : undefined
  }
  const corrected = fields.oneOf('corrected', correctedStates)
  if (corrected === undefined) return undefined
  if (corrected !== 'Corrected') {
    const given = locationFields.filter(name => fields.raw(name) !== null)
    for (const name of given)
      fields.fault(name, 'not_allowed', 'Must be null: only an address that was Corrected has a location.')
    if (corrected === null && correction.final) {
      return fields.fault('corrected', 'required', `Must be given: one of ${correctedStates.join(', ')}.`)
    }
    return given.length === 0 ? { ...uncorrected, corrected } : undefined
  }
  const coordinate = 'a signed decimal number as a string, such as "-122.3321"'
  const latitude = fields.formatted('latitude', isCoordinate, coordinate)
  const longitude = fields.formatted('longitude', isCoordinate, coordinate)
  const well_known_id = fields.formatted(
    'well_known_id',
    isWellKnownId,
    'the digits of a well-known ID, such as "4326"',
  )
  // The only one that may be absent: an administrator may have defined no area at all.
  const service_area = fields.optionalFormatted(
    'service_area',
    text => serviceAreaPattern.test(text),
    'items of the form <name>_<InArea, NotInArea or Failed>_<unix timestamp>, separated by commas',
  )
  if (latitude === undefined || longitude === undefined || well_known_id === undefined || service_area === undefined)
    return undefined
  return { corrected, latitude, longitude, well_known_id, service_area }
}

const isCoordinate = (text: string): boolean => coordinatePattern.test(text) && Number.isFinite(Number(text))
const isWellKnownId = (text: string): boolean => /^[0-9]{1,10}$/.test(text)
