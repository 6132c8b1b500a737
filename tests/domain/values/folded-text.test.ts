import { expect, test } from 'bun:test'
import { isBlank, isName } from '../../../src/domain/values/folded-text.ts'

test.each([
  ['no text', ''],
  ['spaces of any width', ' \u00a0\u2003\u3000'],
  ['what steers other characters', '\u202e\u200f\u2066\u200b\u2060\ufeff'],
  ['fillers, which are letters and a sign by their category', '\u3164\u115f\u1160\uffa0\u2800'],
  ['what only changes the look of others', '\ufe0f\u034f\u{e0100}'],
])('a name of %s is blank', (_, name) => {
  expect([isBlank(name), isName(name, 100)]).toEqual([true, false])
})

test.each(['Ada', '1', '—', 'José', '李', 'ي', '\u0915\u094d\u200d\u0937', '👩‍👧', '❤️'])('%p is a name', name => {
  expect([isBlank(name), isName(name, name.length), isName(name, name.length - 1)]).toEqual([false, true, false])
})

test.each(['two\nlines', 'a\0b', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'half \ud83d'])(
  '%p is visible but not a valid name',
  name => {
    expect([isBlank(name), isName(name, 100)]).toEqual([false, false])
  },
)
