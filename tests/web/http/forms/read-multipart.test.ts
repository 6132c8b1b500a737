import { expect, test } from 'bun:test'
import { readMultipart } from '../../../../src/web/http/forms/read-multipart.ts'
import { rejection } from '../../../support/refusal.ts'

const bounds = {
  bytesMax: 10_000,
  fieldBytesMax: 1000,
  fieldsMax: 10,
  filesMax: 2,
  arrivalMs: 60_000,
  storageGraceMs: 20,
}

test('a storage that never responds ends the form with 503', async () => {
  const form = new FormData()
  form.set('proof', new File(['content'], 'a.pdf'))
  const request = new Request('http://localhost/', { method: 'POST', body: form })
  const never = new Promise<void>(() => {})
  const taker = { field: () => {}, file: () => never }
  const { kind, internal } = await rejection(readMultipart(request, bounds, taker))
  expect([kind, internal]).toEqual(['unavailable', 'file_storage_silent'])
})
