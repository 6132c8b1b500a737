// When a key or a token expires: one of a few times from now, or a day.

/** @jsxImportSource preact */

import { invalidRequest } from '../../../base/problem.ts'
import { SelectField, TextField } from '../../html/fields.tsx'

const offered = [30, 90, 180, 365].map(days => ({ value: `${days}d`, text: `In ${days} days` }))
const onDay = { value: 'day', text: 'On a day' }

/** `stays` of what has an expiry already. */
export const ExpiryFields = ({ stays }: { stays?: boolean }) => (
  <>
    <SelectField
      name="expiry"
      label="Expires"
      value={stays ? '' : '90d'}
      choices={[...(stays ? [{ value: '', text: 'As it does now' }] : []), ...offered, onDay]}
    />
    <TextField
      name="expiry_day"
      label="Day"
      type="date"
      optional
      hint={`With “${onDay.text}”: through the end of that day, at most 366 days ahead.`}
    />
  </>
)

/** What they say, as `parseExpiry` reads it; empty where it stays. Throws the error of a day without its choice, or the other way round. */
export function expiryFrom(form: URLSearchParams): string {
  const [expiry = '', day = ''] = ['expiry', 'expiry_day'].map(name => form.get(name)?.trim())
  if ((expiry === onDay.value) === (day !== '')) return day || expiry
  const detail = day === '' ? 'choose the day' : `must be empty, or “${onDay.text}” chosen`
  throw invalidRequest('The expiry is contradictory.', [{ path: '/expiry_day', code: 'contradictory', detail }])
}
