import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  apiSecretToken,
  hashMatches,
  hashPassword,
  isAdminToken,
  isApiKeyId,
  isWholePassword,
  mintAdminToken,
  mintCredential,
  parseAuthorization,
  scannerPatterns,
} from '../../../src/core/keys/credential.ts'

const base64 = (text: string | Buffer): string => Buffer.from(text as string).toString('base64')

describe('a minted credential (contract D24)', () => {
  const minted = Array.from({ length: 500 }, mintCredential)

  test('"printable ASCII without `:`, each with a fixed prefix"', () => {
    for (const { username, password } of minted) {
      expect(username).toMatch(/^tribk_[0-9A-Za-z]{20}$/)
      expect(password).toMatch(/^tribs_[0-9A-Za-z]{49}$/)
    }
  })

  test('"<credentials> is the Base64 encoding of username:password" (spec, "Authentication" 3)', () => {
    const { username, password, apiSecretToken: token } = minted[0]!
    expect(atob(token)).toBe(`${username}:${password}`)
  })

  test('"that secret scanners can match, raw and in Base64 (a prefix of 6 bytes survives Base64 as 8 fixed characters)"', () => {
    for (const { username, password, apiSecretToken: token } of minted) {
      expect(token.startsWith('dHJpYmtf')).toBe(true)
      expect(token.slice(36, 44)).toBe('dHJpYnNf')
      expect(`user=${username};`).toMatch(scannerPatterns.username)
      expect(`"password": "${password}"`).toMatch(scannerPatterns.password)
      expect(`Authorization: Basic ${token}\r\n`).toMatch(scannerPatterns.apiSecretToken)
      expect(base64(password)).toMatch(scannerPatterns.passwordBase64)
    }
  })

  test('an administrator’s token is found by scanners too, and truncated or mistyped ones are recognized', () => {
    const { tokenId, token } = mintAdminToken()
    expect(token).toStartWith(`${tokenId}_`)
    expect(`Authorization: Bearer ${token}\r\n`).toMatch(scannerPatterns.adminToken)
    expect(
      [token, tokenId, token.slice(0, -1), `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`].map(isAdminToken),
    ).toEqual([true, false, false, false])
  })

  test('the patterns find nothing in text without a credential', () => {
    const text = `tribk_short tribs_${'x'.repeat(48)} tribs_${'x'.repeat(50)} ${base64('tribk_'.repeat(30))}`
    for (const pattern of Object.values(scannerPatterns)) expect(text).not.toMatch(pattern)
  })

  test('"the secret has ≥ 256 random bits": 43 characters of 62, each as likely as the others', () => {
    expect(43 * Math.log2(62)).toBeGreaterThanOrEqual(256)
    const counts = new Map<string, number>()
    const random = Array.from({ length: 2000 }, () => mintCredential().password.slice(6, 49)).join('')
    for (const character of random) counts.set(character, (counts.get(character) ?? 0) + 1)
    expect(counts.size).toBe(62)
    const mean = random.length / 62
    // Chi-squared, 61 degrees of freedom: above 130 by chance once in a million runs. Bytes taken modulo 62 give over 500.
    const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0)
    expect(chiSquared).toBeLessThan(130)
  })

  test('no two are the same', () => {
    expect(new Set(minted.map(credential => credential.username)).size).toBe(minted.length)
    expect(new Set(minted.map(credential => credential.password)).size).toBe(minted.length)
  })

  test('"and a checksum": any one changed character is noticed', () => {
    const { password } = minted[0]!
    expect(isWholePassword(password)).toBe(true)
    const another = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
    fc.assert(
      fc.property(fc.integer({ min: 6, max: password.length - 1 }), another, (at, character) => {
        fc.pre(password[at] !== character)
        return !isWholePassword(password.slice(0, at) + character + password.slice(at + 1))
      }),
    )
    expect(isWholePassword(password.slice(0, -1))).toBe(false)
  })

  test('an ID is distinguished from other text', () => {
    expect(isApiKeyId(minted[0]!.username)).toBe(true)
    for (const text of ['', 'tribk_', `${minted[0]!.username}\n`, minted[0]!.password, `tribk_${'\0'.repeat(20)}`])
      expect(isApiKeyId(text)).toBe(false)
  })
})

describe('the Authorization header', () => {
  test('"HTTP Basic": the scheme in any case, one space or more (RFC 7617, RFC 9110)', () => {
    const sent = { username: 'u', password: 'p' }
    for (const header of ['Basic dTpw', 'basic dTpw', 'BASIC dTpw', 'bAsIc   dTpw'])
      expect(parseAuthorization(header)).toEqual(sent)
  })

  test('is split at the first colon only', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }).filter(text => !text.includes(':')),
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        (username, password) => {
          const header = `Basic ${apiSecretToken(username, password)}`
          expect(parseAuthorization(header)).toEqual({ username, password })
        },
      ),
    )
  })

  test.each([
    ['no_header', null],
    ['no_header', ''],
    ['wrong_scheme', 'Bearer dTpw'],
    ['wrong_scheme', 'dTpw'],
    ['wrong_scheme', 'Basically dTpw'],
    ['wrong_scheme', 'Basic,dTpw'],
    ['bad_base64', 'Basic'],
    ['bad_base64', 'Basic '],
    ['bad_base64', 'Basic dTpw dTpw'],
    ['bad_base64', 'Basic dTpw, Basic dTpw'],
    ['bad_base64', 'Basic dTp'],
    ['bad_base64', 'Basic dTpw='],
    // Unused bits set: another spelling of the same bytes.
    ['bad_base64', 'Basic dTpweR=='],
    ['bad_base64', 'Basic dTpw\t'],
    ['bad_utf8', `Basic ${base64(Buffer.from([0x75, 0x3a, 0xff]))}`],
    ['no_colon', `Basic ${base64('no colon')}`],
  ] as const)('%s: %p', (error, header) => {
    expect(parseAuthorization(header)).toEqual({ error })
  })

  test('may have Base64 without padding and in the URL alphabet', () => {
    const whole = base64('u:\xff\xff?>')
    expect(whole).toMatch(/[+/].*=$/)
    const safe = whole.replace(/\+/g, '-').replace(/\//g, '_')
    for (const sent of [whole, safe, whole.replace(/=+$/, ''), safe.replace(/=+$/, '')])
      expect(parseAuthorization(`Basic ${sent}`)).toEqual(parseAuthorization(`Basic ${whole}`))
    expect(parseAuthorization(`Basic ${whole}`)).not.toHaveProperty('error')
  })

  test('oversized_header: more than 1024 characters are not decoded', () => {
    expect(parseAuthorization(`Basic ${base64(`u:${'p'.repeat(1000)}`)}`)).toEqual({ error: 'oversized_header' })
  })

  test('with any content is read or refused without an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.base64String().map(text => `Basic ${text}`),
        ),
        header => {
          parseAuthorization(header)
        },
      ),
    )
  })
})

describe('secrets are stored as an HMAC with a pepper', () => {
  const pepper = 'a pepper that is long enough to be one'

  test('HMAC-SHA-256 (RFC 4231, test case 2)', () => {
    expect(hashPassword('Jefe', 'what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  test('only the same secret under the same pepper matches', () => {
    const { password } = mintCredential()
    const stored = hashPassword(pepper, password)
    expect(hashMatches(hashPassword(pepper, password), stored)).toBe(true)
    expect(hashMatches(hashPassword(pepper, mintCredential().password), stored)).toBe(false)
    expect(hashMatches(hashPassword(`${pepper}!`, password), stored)).toBe(false)
  })

  test('nothing matches a key that does not exist', () => {
    fc.assert(fc.property(fc.string(), password => !hashMatches(hashPassword(pepper, password), undefined)))
    expect(hashMatches(Buffer.alloc(32), undefined)).toBe(false)
  })
})
