// ADDRESS: an address in the USA, with the results of the form front end's address correction.

import { Type } from 'typebox'
import type { FieldReader } from '../fields/field-reader.ts'
import { anyText, orNull } from '../fields/field-schema.ts'
import { type AnswerRules, json, type QuestionType } from '../fields/question-type.ts'
import { cities, secondLines, streets } from '../random/sample-words.ts'
import { integerFrom, pick } from '../random/seeded-random.ts'

/** Results of address correction. Source: spec, ADDRESS, `corrected`. */
const correctedStates = ['Corrected', 'Failed', 'AsEnteredByUser'] as const

interface Address {
  type: 'ADDRESS'
  street: string
  line2: string | null
  city: string
  state: string
  zip: string
  corrected: (typeof correctedStates)[number] | null
  latitude: string | null
  longitude: string | null
  well_known_id: string | null
  service_area: string | null
}

/** Two-letter USPS codes: 50 states, DC, 8 territories. Source: spec, ADDRESS, `state`. */
export const stateCodes: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD ' +
    'TN TX UT VT VA WA WV WI WY DC AS FM GU MH MP PR PW VI'
  ).split(' '),
)

/** Source: spec, ADDRESS, `zip`: "5 digits, or 5 digits, a dash and 4 digits". */
export const zipPattern = /^[0-9]{5}(?:-[0-9]{4})?$/

/** Source: spec, ADDRESS, `latitude`: "signed floating-point number as a string". */
export const coordinatePattern = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** A well-known ID of a spatial reference system, such as `4326`. */
const wellKnownIdPattern = /^[0-9]{1,10}$/

/**
 * Source: spec, ADDRESS, `service_area`: comma-separated `<service_area_name>_<inclusion_state>_<unix_timestamp>`. A space after a comma is part of
 * the name. If the pattern made it optional, it could match in two ways, and 40 such items would take hours.
 */
export const serviceAreaPattern =
  /^[^,]+_(?:InArea|NotInArea|Failed)_[0-9]+(?:,[^,]+_(?:InArea|NotInArea|Failed)_[0-9]+)*$/

const settings = {
  correct_addresses: Type.Boolean({ description: 'Whether addresses are corrected against a directory.' }),
}

const located = 'null unless the address was corrected.'
const coordinate = (what: string) => ({
  form: 'text' as const,
  schema: orNull('string', { pattern: coordinatePattern.source, description: `${what}; ${located}` }),
})

export const address = {
  kinds: ['ADDRESS'],
  settings,
  fields: {
    street: { form: 'text', schema: anyText('Street and house number.') },
    line2: { form: 'text', schema: anyText('Apartment or unit; null if there is none.') },
    city: { form: 'text', schema: anyText('City.') },
    state: {
      form: 'text',
      schema: {
        ...orNull('string', { description: 'USPS code of a state, DC or a territory.' }),
        enum: [...stateCodes, null],
      },
    },
    zip: {
      form: 'text',
      schema: orNull('string', {
        pattern: zipPattern.source,
        description: '5 digits, or 5 digits, a dash and 4 digits.',
      }),
    },
    corrected: {
      form: 'text',
      schema: {
        ...orNull('string', { description: 'Result of address correction; null if it is not enabled.' }),
        enum: [...correctedStates, null],
      },
    },
    latitude: coordinate('Latitude'),
    longitude: coordinate('Longitude'),
    well_known_id: {
      form: 'text',
      schema: orNull('string', {
        pattern: wellKnownIdPattern.source,
        description: `Spatial reference system of latitude and longitude; ${located}`,
      }),
    },
    service_area: {
      form: 'text',
      schema: orNull('string', {
        pattern: serviceAreaPattern.source,
        description: `Comma-separated <service area>_<InArea, NotInArea or Failed>_<Unix time of the check>; ${located}`,
      }),
    },
  },
  text: a =>
    `{"question_type":"ADDRESS","street":${json(a.street)},"line2":${json(a.line2)},"city":${json(a.city)},` +
    `"state":${json(a.state)},"zip":${json(a.zip)},"corrected":${json(a.corrected)},"latitude":${json(a.latitude)},` +
    `"longitude":${json(a.longitude)},"well_known_id":${json(a.well_known_id)},"service_area":${json(a.service_area)}}`,
  lines: a => [
    { text: a.line2 === null ? a.street : `${a.street}, ${a.line2}` },
    { text: `${a.city}, ${a.state} ${a.zip}` },
    ...(a.corrected === null ? [] : [{ text: correctedText[a.corrected], look: 'aside' as const }]),
    ...(a.service_area?.split(',') ?? []).map(area => ({ text: areaText(area), look: 'aside' as const })),
    ...(a.latitude === null
      ? []
      : [{ text: `At ${a.latitude}, ${a.longitude}. Coordinate system ${a.well_known_id}`, look: 'aside' as const }]),
  ],
  /** "if any of `street`, `line2`, `city`, `state`, `zip` is provided, all of them except `line2` are required." */
  read: (fields, rules) => {
    const street = fields.text('street')
    const line2 = fields.optionalText('line2')
    const city = fields.text('city')
    const state = fields.formatted(
      'state',
      isState,
      'the USPS code of one of the 50 states, DC or a territory, such as WA',
    )
    const zip = fields.formatted('zip', isZip, '5 digits, or 5 digits, a dash and 4 digits')
    const correction = readCorrection(fields, rules)
    if (street === undefined || line2 === undefined || city === undefined || state === undefined || zip === undefined)
      return undefined
    if (correction === undefined) return undefined
    return { type: 'ADDRESS', street, line2, city, state, zip, ...correction }
  },
  sample: ({ correct_addresses }, variant) =>
    inCity(
      `${700 + variant} 5th Ave`,
      `Apt ${variant + 4}`,
      cities[variant % cities.length]!,
      '04',
      correct_addresses === true ? 'Corrected' : null,
      0,
      1_767_225_600,
    ),
  random:
    ({ correct_addresses }) =>
    next => {
      const luck = next()
      return inCity(
        `${integerFrom(next, 1, 9999)} ${pick(next, streets)}`,
        next() < 0.35 ? pick(next, secondLines) : null,
        pick(next, cities),
        next() < 0.2
          ? `${two(integerFrom(next, 1, 99))}-${integerFrom(next, 1000, 9999)}`
          : two(integerFrom(next, 1, 99)),
        correct_addresses !== true ? null : luck < 0.8 ? 'Corrected' : luck < 0.9 ? 'Failed' : 'AsEnteredByUser',
        next() * 0.04,
        integerFrom(next, 1_750_000_000, 1_767_000_000),
      )
    },
} as const satisfies QuestionType<Address, typeof settings>

const correctedText: Readonly<Record<(typeof correctedStates)[number], string>> = {
  Corrected: 'Corrected against a directory',
  Failed: 'Could not be corrected',
  AsEnteredByUser: 'Kept as the applicant entered it',
}

/** `seattle_InArea_1767225600` → `Service area seattle: inside`. */
function areaText(item: string): string {
  const [, name, state] = /^(.+)_(InArea|NotInArea|Failed)_[0-9]+$/s.exec(item) ?? []
  if (name === undefined) return item
  const found = state === 'Failed' ? 'not known' : state === 'InArea' ? 'inside' : 'outside'
  return `Service area ${name}: ${found}`
}

const isState = (text: string): boolean => stateCodes.has(text)
const isZip = (text: string): boolean => zipPattern.test(text)
const isCoordinate = (text: string): boolean => coordinatePattern.test(text) && Number.isFinite(Number(text))
const isWellKnownId = (text: string): boolean => wellKnownIdPattern.test(text)
const isServiceArea = (text: string): boolean => serviceAreaPattern.test(text)

/** The results of address correction apart from the verdict. */
const locationFields = ['latitude', 'longitude', 'well_known_id', 'service_area'] as const
const correctionFields = ['corrected', ...locationFields] as const
type Correction = Pick<Address, (typeof correctionFields)[number]>

const uncorrected: Correction = {
  corrected: null,
  latitude: null,
  longitude: null,
  well_known_id: null,
  service_area: null,
}

/**
 * `corrected` is "`null` if unanswered or address correction is not enabled"; `latitude` and its like "`null` if unanswered, not corrected,
 * correction failed, or the user kept the address as entered". If correction has been switched off since the answer was saved, its results are
 * dropped from a final answer; for an older answer, it is no longer known whether it was on.
 */
function readCorrection(
  fields: FieldReader,
  { settings: questionSettings, stage }: AnswerRules<typeof settings>,
): Correction | undefined {
  if (stage !== 'older' && questionSettings.correct_addresses !== true)
    return stage === 'final' ||
      areNull(fields, correctionFields, 'Must be null: address correction is off for this question.')
      ? uncorrected
      : undefined
  const corrected = fields.oneOf('corrected', correctedStates)
  if (corrected === undefined) return undefined
  if (corrected !== 'Corrected') {
    const unplaced = areNull(fields, locationFields, 'Must be null: only a Corrected address has a location.')
    if (corrected === null && stage === 'final')
      return fields.error('corrected', 'required', `Is required: one of ${correctedStates.join(', ')}.`)
    return unplaced ? { ...uncorrected, corrected } : undefined
  }
  // Coordinates in a spatial reference system other than GPS's may be in meters or feet. Older answers are kept unchanged.
  const inDegrees = stage !== 'older' && fields.raw('well_known_id') === '4326'
  const coordinate = (name: 'latitude' | 'longitude', most: number): string | undefined => {
    const range = inDegrees ? ` from -${most} to ${most}` : ''
    const fits = (text: string): boolean => isCoordinate(text) && (!inDegrees || Math.abs(Number(text)) <= most)
    return fields.formatted(name, fits, `a signed decimal number${range} as a string, such as "-47.6062"`)
  }
  const latitude = coordinate('latitude', 90)
  const longitude = coordinate('longitude', 180)
  const wellKnown = 'the digits of a well-known ID, such as "4326"'
  const well_known_id = fields.formatted('well_known_id', isWellKnownId, wellKnown)
  // The only result that may be missing: an administrator may not have defined any areas.
  const areas = 'items of the form <name>_<InArea, NotInArea or Failed>_<unix timestamp>, separated by commas'
  const service_area = fields.optionalFormatted('service_area', isServiceArea, areas)
  if (latitude === undefined || longitude === undefined || well_known_id === undefined || service_area === undefined)
    return undefined
  return { corrected, latitude, longitude, well_known_id, service_area }
}

function areNull(fields: FieldReader, names: readonly string[], detail: string): boolean {
  const given = names.filter(name => fields.raw(name) !== null)
  for (const name of given) fields.error(name, 'not_allowed', detail)
  return given.length === 0
}

/** `shift` in degrees from the city center, `checkedAt` in Unix seconds. */
function inCity(
  street: string,
  line2: string | null,
  [city, state, zipStart, latitude, longitude]: (typeof cities)[number],
  zipEnd: string,
  corrected: Address['corrected'],
  shift: number,
  checkedAt: number,
): Address {
  const address: Address = {
    type: 'ADDRESS',
    street,
    line2,
    city,
    state,
    zip: zipStart + zipEnd,
    ...uncorrected,
    corrected,
  }
  if (corrected !== 'Corrected') return address
  return {
    ...address,
    latitude: (latitude + shift).toFixed(5),
    longitude: (longitude - shift).toFixed(5),
    well_known_id: '4326',
    service_area: `${state.toLowerCase()}_${shift < 0.03 ? 'InArea' : 'NotInArea'}_${checkedAt}`,
  }
}

const two = (value: number): string => String(value).padStart(2, '0')
