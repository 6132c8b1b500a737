// The minimum a response must contain to be recognized as one from the service.

/** A name of a type (`id`: a whole number from 1), an object with at least these fields, or a list of such. */
export type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | 'object'
  | 'id'
  | { readonly [field: string]: Shape }
  | readonly [Shape]

export function hasShape(value: unknown, shape: Shape): boolean {
  if (shape === 'id') return Number.isSafeInteger(value) && (value as number) > 0
  if (typeof shape === 'string') return typeof value === shape && value !== null
  if (isList(shape)) return Array.isArray(value) && value.every(item => hasShape(item, shape[0]))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([field, kind]) => hasShape((value as Record<string, unknown>)[field], kind))
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

export const shapes = {
  apiKey: { api_key_id: 'string', name: 'string', expires_at: 'string', programs: ['string'] },
  receipt: { applications: 'number', erased_application_ids: ['number'] },
  change: { change: 'number', kind: 'string', application_id: 'id' },
  endOfChanges: { nextCursor: 'string', hasMore: 'boolean', snapshotTime: 'string', changeCursor: 'string' },
  programs: { installation_id: 'string', payload: [{ program_name: 'string', applications: 'number' }] },
} as const satisfies Record<string, Shape>
