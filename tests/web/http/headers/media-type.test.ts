import { expect, test } from 'bun:test'
import { acceptableType, preferredType } from '../../../../src/web/http/headers/negotiation.ts'

const html = 'text/html'
const json = 'application/json'

test.each([
  [null, html],
  ['', html],
  ['*/*', html],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8', html],
  ['application/json', json],
  ['APPLICATION/JSON', json],
  ['application/json, text/plain, */*', json],
  ['application/*', json],
  ['text/html, application/json', html],
  ['application/json, text/html', html],
  ['text/html;q=0.8, application/json;q=0.9', json],
  ['text/html;q=0.9, application/json;q=0.8', html],
  ['text/html;q=0.001, application/json;q=0', html],
  ['*/*;q=0.9, text/html;q=0.1', json],
  ['*/*, text/html;q=0', json],
  ['text/*;q=1, text/html;q=0.1, application/json;q=0.5', json],
  ['application/json;charset=utf-8', json],
  ['application/json ; q=1.000 , text/html ; q=0.5', json],
  // Another type than is offered, and what is not well-formed.
  ['application/json;profile="a,b;q=1", text/html;q=0.1', html],
  ['application/json;q=2', html],
  ['application/json;q=0.1234', html],
  ['*/json', html],
  ['json', html],
  [',,, application/json ,', json],
  // Contract D48: `*` means `*/*`, `.2` means 0.2, and a header that has a malformed item never leads to 406 by itself.
  ['image/gif, image/jpeg, *; q=.2, */*; q=.2', html],
  ['text/html;q=.1, *;q=.2', json],
  ['image/gif, *', html],
  ['image/gif, json', html],
  ['image/gif, text/html;q=2', html],
  // None of both, or with parameters that decide.
  ['image/png', undefined],
  ['image/*, text/csv', undefined],
  ['text/html;q=0, application/json;q=0.0', undefined],
  ['*/*;q=0', undefined],
  ['text/html;q=0, */*;q=0.001', json],
  ['text/html;level=1', undefined],
  ['text/html;header=present', html],
  ['text/html;header=absent', undefined],
])('of HTML and JSON, an Accept header of %p selects %p, or otherwise the default', (accept, acceptable) => {
  expect(acceptableType(accept, [html, json])).toBe(acceptable as never)
  expect(preferredType(accept, [html, json])).toBe((acceptable ?? html) as never)
})
