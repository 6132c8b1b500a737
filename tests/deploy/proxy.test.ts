// The configuration for nginx, as far as it must fit the service.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { constants } from '../../src/config/constants.ts'

const text = await Bun.file(join(import.meta.dir, '../../deploy/nginx/tributary.conf')).text()

test('the access log has no query and no referrer, which may contain an applicant’s name from a search', () => {
  const [, format] = /^log_format (\w+ '[^']*');$/m.exec(text)!
  const variables = [...format!.matchAll(/\$(\w+)/g)].map(([, name]) => name)
  for (const leaking of ['request', 'request_uri', 'args', 'query_string', 'http_referer', 'is_args'])
    expect(variables).not.toContain(leaking)
  expect([...text.matchAll(/^ *access_log (.*);$/gm)].map(([, rest]) => rest)).toEqual([
    `/var/log/nginx/access.log ${format!.split(' ')[0]}`,
  ])
})

test('the body size limit of nginx is above that of the service', () => {
  const megabytes = Number(/client_max_body_size (\d+)m;/.exec(text)![1])
  expect(megabytes * 1024 * 1024).toBeGreaterThan(constants.uploadBytesMax)
})
