// Where webhooks may lead: nowhere but the public internet and what the installation allows, however the address is written or resolved.

import { describe, expect, test } from 'bun:test'
import { checkWebhookUrl } from '../../../src/core/webhooks/endpoints.ts'
import { type Outside, postMessage } from '../../../src/core/webhooks/post-message.ts'
import { isPublic, parseAddress, parseSubnet, type Subnet } from '../../../src/domain/values/ip-address.ts'
import { testCertificate } from '../../support/certificate.ts'
import { useReceiver } from '../../support/receiver.ts'
import { loopback } from '../../support/webhooks.ts'

const ca = testCertificate.cert
const message = { headers: {}, body: '{}' }
const post = (url: string, outside: Outside) => postMessage(new URL(url), message, outside)
const refusal = (url: string, rules: Parameters<typeof checkWebhookUrl>[1]) =>
  checkWebhookUrl(url, rules).then(
    () => undefined,
    ({ errors }) => errors[0].code,
  )
/** A resolver that answers each look with the next of these, and the last one for ever. */
function answering(...looks: string[][]) {
  const looked = { times: 0 }
  return { looked, resolve: async () => looks[Math.min(looked.times++, looks.length - 1)]! }
}

/** One of each range that is not of the public internet. */
const internal = [
  ...['127.0.0.1', '127.8.8.8', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
  ...['224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '240.0.0.1'],
  ...[
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '100::1',
  ],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2001::1'],
]
const publicOnes = ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450::8a', '::ffff:8.8.8.8']

describe('an address', () => {
  test.each(internal)('%s is not public', text => {
    expect(isPublic(parseAddress(text)!)).toBe(false)
  })
  test.each(publicOnes)('%s is public', text => {
    expect(isPublic(parseAddress(text)!)).toBe(true)
  })

  test.each(internal)(
    '%s is never connected to, in any notation or by name, and refused where it is entered',
    async text => {
      const literal = text.includes(':') ? `[${text}]` : text
      for (const url of [`https://${literal}/`, `https://${literal}:8443/hooks`]) {
        expect(await post(url, { allowedNetworks: [] })).toEqual({ outcome: 'internal_address', status: null })
        expect(await refusal(url, { allowedNetworks: [] })).toBe('internal_address')
      }
      const { resolve } = answering(['8.8.8.8', text])
      expect(await post('https://receiver.example/', { allowedNetworks: [], resolve })).toEqual({
        outcome: 'internal_address',
        status: null,
      })
      expect(await refusal('https://receiver.example/', { allowedNetworks: [], resolve })).toBe('internal_address')
    },
  )

  test.each([
    'https://2130706433/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://[::7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://localhost/',
  ])('%s is recognized as an address of this machine', async url => {
    expect(await post(url, { allowedNetworks: [] })).toEqual({ outcome: 'internal_address', status: null })
    expect(await refusal(url, { allowedNetworks: [] })).toBe('internal_address')
  })

  test.each([
    '',
    'nowhere',
    'http://example.org/',
    'ftp://example.org/',
    'https://',
    'https://user@example.org/',
    'https://:secret@example.org/',
    'https://example.org/#a',
    `https://example.org/${'x'.repeat(2000)}`,
  ])('%p is refused as a webhook address', async url => {
    const { resolve } = answering(['8.8.8.8'])
    expect(await refusal(url, { allowedNetworks: [], resolve })).toBe('bad_url')
  })

  test('of a name without any address is refused', async () => {
    const nowhere = { allowedNetworks: [loopback], resolve: () => Promise.reject(new Error('ENOTFOUND')) }
    expect(await refusal('https://receiver.example/', nowhere)).toBe('unresolved')
    expect(await post('https://receiver.example/', nowhere)).toEqual({ outcome: 'unresolved', status: null })
  })
})

describe('a name', () => {
  test('that resolves to this machine on the second lookup is not connected to', async () => {
    const receiver = useReceiver()
    const { resolve } = answering(['8.8.8.8'], ['127.0.0.1'])
    const url = `https://localhost:${receiver.port}/hooks`
    expect(await refusal(url, { allowedNetworks: [], resolve })).toBeUndefined()
    expect(await post(url, { allowedNetworks: [], resolve, ca })).toEqual({ outcome: 'internal_address', status: null })
    expect(receiver.received).toEqual([])
  })

  test('is looked up once per message, so the checked address is the one connected to, with the name’s certificate', async () => {
    const receiver = useReceiver()
    const { resolve, looked } = answering(['127.0.0.1'], ['10.0.0.1'])
    const allowedNetworks = [parseSubnet('127.0.0.1/32') as Subnet]
    const url = `https://localhost:${receiver.port}/hooks?a=b`
    expect(await post(url, { allowedNetworks, resolve, ca })).toEqual({ outcome: 'delivered', status: 204 })
    expect(looked.times).toBe(1)
    expect(receiver.received.map(({ path, host }) => [path, host])).toEqual([['/hooks', `localhost:${receiver.port}`]])
    const other = answering(['127.0.0.1'])
    expect(await post(url.replace('localhost', 'receiver.example'), { allowedNetworks, ca, ...other })).toEqual({
      outcome: 'unreachable',
      status: null,
    })
    // Without the certificate of the test, which nothing else trusts.
    expect(await post(url, { allowedNetworks, resolve: other.resolve })).toEqual({
      outcome: 'unreachable',
      status: null,
    })
    expect(receiver.received).toHaveLength(1)
  })

  test('that is not resolved in time is given up after the total time allowed', async () => {
    const receiver = useReceiver()
    const late = Promise.withResolvers<string[]>()
    const outside = { allowedNetworks: [loopback], timeoutMs: 50, ca, resolve: () => late.promise }
    const url = `https://localhost:${receiver.port}/`
    expect(await post(url, outside)).toEqual({ outcome: 'timed_out', status: null })
    // Nothing is sent any more when the answer comes.
    late.resolve(['127.0.0.1'])
    expect(await post(url, { ...outside, timeoutMs: 60_000 })).toEqual({ outcome: 'delivered', status: 204 })
    expect(receiver.received).toHaveLength(1)
  })
})

test('allowing a network allows no other', async () => {
  const allowedNetworks = [parseSubnet('10.0.0.0/8') as Subnet]
  expect(await refusal('https://10.9.9.9/', { allowedNetworks })).toBeUndefined()
  for (const url of ['https://192.168.0.1/', 'https://[::1]/', 'https://127.0.0.1/'])
    expect(await refusal(url, { allowedNetworks })).toBe('internal_address')
})
