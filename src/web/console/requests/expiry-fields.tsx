// Fields for the expiry of a key or token: a number of days from now, or a date.

/** @jsxImportSource preact */

import { invalidRequest } from '../../../base/problem.ts'
import { SelectField, TextField } from '../../html/fields.tsx'

const offered = [30, 90, 180, 365].map(days => ({ value: `${days}d`, text: `In ${days} days` }))
const onDay = { value: 'day', text: 'On a date' }

/** `stays` for a key that already has an expiry. */
export const ExpiryFields = ({ stays }: { stays?: boolean }) => (
  <>
    <SelectField
      name="expiry"
      label="Expires"
      value={stays ? '' : '90d'}
      choices={[...(stays ? [{ value: '', text: 'Keep current expiry' }] : []), ...offered, onDay]}
    />
    <TextField
      name="expiry_day"
      label="Day"
      type="date"
      optional
      hint={`Only for “${onDay.text}”. The last day of validity, at most 366 days ahead.`}
    />
  </>
)

/** The expiry for `parseExpiry`; empty to keep it. Throws if a date was entered without choosing “On a date”, or the other way round. */
export function expiryFrom(form: URLSearchParams): string {
  const [expiry = '', day = ''] = ['expiry', 'expiry_day'].map(name => form.get(name)?.trim())
  if ((expiry === onDay.value) === (day !== '')) return day || expiry
  const detail = day === '' ? 'choose a date' : `must be empty unless you choose “${onDay.text}”`
  throw invalidRequest('The expiry is ambiguous.', [{ path: '/expiry_day', code: 'contradictory', detail }])
}
