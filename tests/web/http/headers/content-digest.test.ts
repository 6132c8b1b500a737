import { expect, test } from 'bun:test'
import { contentDigest, wantedDigest } from '../../../../src/web/http/headers/content-digest.ts'

test.each([
  [null, undefined],
  ['', undefined],
  ['sha-256=1', 'sha-256'],
  ['sha-256=10, sha-512=3', 'sha-256'],
  ['sha-256=3, sha-512=10', 'sha-512'],
  ['md5=10, sha-512=1, sha-256=1', 'sha-512'],
  ['sha-256=0', undefined],
  ['sha-256=0, sha-512=1', 'sha-512'],
  ['sha-256=11', undefined],
  ['sha-256', undefined],
  ['SHA-256=1', undefined],
  ['sha-256=x, sha-512=1;a=b', 'sha-512'],
])('RFC 9530: Want-Content-Digest %p requests %p', (field, algorithm) => {
  expect(wantedDigest(field)).toBe(algorithm as never)
})

test('RFC 9530, appendix B.1: the example has its digest', () => {
  const digest = contentDigest('sha-256', Buffer.from('{"hello": "world"}\n'))
  expect(digest).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:')
})
