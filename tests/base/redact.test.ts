// Secrets of API keys in text: found in every spelling in which a client could have put them there.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { redactSecrets } from '../../src/base/redact.ts'
import { mintCredential } from '../../src/core/keys/credential.ts'

const { username, password, apiSecretToken } = mintCredential()
/** The part of the secret that cannot be guessed, as it would stand in each spelling. */
const random = password.slice(6, 49)
const percentEncoded = (text: string): string =>
  [...text].map(character => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('"A secret or credential never reaches a log" (contract section 3)', () => {
  test.each([
    ['raw', password],
    ['raw, with more after it', `${password}andmore`],
    ['cut short', password.slice(0, 20)],
    ['Base64 of user and password', apiSecretToken],
    ['Base64 of the password', base64(password)],
    ['Base64 of another user and the password, one byte further on', base64(`x:${password}`)],
    ['Base64 of another user and the password, two bytes further on', base64(`xyz:${password}`)],
    ['the alphabet of Base64 for addresses', base64(`é?:${password}`).replaceAll('+', '-').replaceAll('/', '_')],
    ['percent-encoded', encodeURIComponent(`${username}:${password}`)],
    ['percent-encoded whole', percentEncoded(password)],
    ['percent-encoded whole, in capitals', percentEncoded(password).toUpperCase().replaceAll(random, random)],
    ['percent-encoded twice', percentEncoded(percentEncoded(password))],
    ['percent-encoded in one place', password.replace('_', '%5f')],
    [
      'percent-encoded in one place further on',
      `${password.slice(0, 12)}%${base16(password[12]!)}${password.slice(13)}`,
    ],
    ['Base64, percent-encoded', encodeURIComponent(apiSecretToken)],
    ['Base64, percent-encoded whole', percentEncoded(apiSecretToken)],
  ])('%s', (_, spelling) => {
    const text = redactSecrets(`{"path":"/a/${spelling}/b","n":1}`)
    expect(text).toContain('[redacted]')
    expect(text).toStartWith('{"path":"')
    expect(text).toEndWith('"n":1}')
    expect(text).not.toContain(spelling.slice(-12))
  })

  test('a secret in any mix of plain and percent-encoded characters is replaced', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2 }), { minLength: 55, maxLength: 55 }), times => {
        const spelling = [...password]
          .map((character, i) => {
            let spelled = character
            for (let n = 0; n < times[i]!; n++)
              spelled = n === 0 ? `%${base16(character)}` : spelled.replace('%', '%25')
            return spelled
          })
          .join('')
        expect(redactSecrets(`/x/${spelling}`)).toBe(times.every(n => n === 0) ? '/x/[redacted]' : '[redacted]')
      }),
    )
  })

  test('text without secrets is unchanged', () => {
    for (const text of [
      '',
      `"api_key_id":"${username}"`,
      '/a%20b/%E2%82%AC?100%',
      '"request_id":"0198a7d2-5f1c-7c3a-9b1e-3f2a4d5c6b7a"',
      base64('an ordinary text of some length, which is no secret at all'),
    ])
      expect(redactSecrets(text)).toBe(text)
  })
})

function base16(character: string): string {
  return character.charCodeAt(0).toString(16)
}
