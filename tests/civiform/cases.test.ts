// The 96 cases by which following a CiviForm was specified, each with the test that holds it. A number that is missing here fails, and
// so does a name that no test has.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const cases = 96

/** By file: the numbers that a test holds, and its name. */
const held: Readonly<Record<string, readonly (readonly [numbers: readonly number[], name: string])[]>> = {
  'stored-answers': [
    [[1], '1: is its parts, all ten always there'],
    [[2, 3], '2, 3: coordinates have at most eight decimals, half to even, and no zeros at the end'],
    [[4, 5], '4, 5: service areas are one text, and a record that is not whole spoils all'],
    [[6], '6: the text of old releases is exported by the manual, and not by the code (D14)'],
    [[7], '7: a zip that was stored as a number is text'],
    [[8, 9, 10, 11, 12, 13, 14, 15, 16, 17], '%i: of several is the admin names in the order of the question'],
    [[18, 19], '18, 19: of one is its admin name, or null for what is no option'],
    [[20], '20: admin names of before 2024 are exported as they are'],
    [[21], '21: of yes and no has options of its own'],
    [[22, 23], '22, 23: cents are dollars, exactly'],
    [[24, 25, 26, 27], '24, 25, 26, 27: a date is the day in UTC of its milliseconds; a bare number is none'],
    [[28, 29], '28, 29: a number keeps every digit of 64 bits'],
    [
      [30, 31, 32, 33, 34],
      '30 to 34: is verbatim; numbers and literals are their text; what is empty or no text is null',
    ],
    [[35], '35: a name’s suffix is the manual’s code, or as stored (D2)'],
    [[36, 37, 38, 39], '36 to 39: a phone number is in E.164, and null without its country or when it is none'],
    [[40], '40: a file is its address, encoded as CiviForm encodes it; the manual has file_key too (D1)'],
    [[41, 42], '41, 42: the single key of old releases (D15), and none'],
    [[43], '43: features of a map are their ids; CiviForm’s code has the applicant’s present ones (D3)'],
    [[44], '44: what is only to be read has no key'],
    [
      [45, 49, 50],
      '45, 49, 50: are in stored order, with what is repeated for them, at every depth; names may be equal',
    ],
    [[46, 47], '46, 47: are none for an object, an empty list or nothing'],
    [[48], '48: may lack a name, or be null'],
    [[52], '52: what another program stored at the top level under the key of a repeated question is not exported'],
    [[53], '53: what the program does not ask is not exported'],
    [[60], '60: keys are made by CiviForm’s rule'],
    [[61], '61: a question whose name has no letter is left out, and reported'],
    [[62], '62: of two questions with one key, the last in the order of blocks is exported, and both are reported'],
    [
      [63, 64],
      '63, 64: a document that is empty, cut off or none at all is exported as unanswered; only what is broken is reported',
    ],
    [[65, 66], '65, 66: times are whole seconds by the manual, and have their fraction by the code'],
    [[67], '67: the language is canonical, and American English when there is none'],
    [[68], '68: an empty status or note is none'],
    [
      [69, 70],
      '69, 70: an intermediary is who has an e-mail address there; the organization of an applicant is only the code’s (D6)',
    ],
    [[71, 72], '71, 72: the applicant is the one before a merge; a time that is missing is null'],
    [[74], '74: the program is its slug by the manual, and its admin name by the code (D5)'],
    [[75], '75: what the applicant left blank is filled from their own record by the code alone (D3)'],
  ],
  'followed-history': [
    [
      [51],
      '51: what is repeated in another version is null in every entity by the manual, and absent by the code (D12)',
    ],
    [[54, 58], '54, 58: what a later version dropped is null there, and keeps its answers in the earlier one'],
    [[55], '55: of a draft they are null in every application by the code, and absent by the manual (D4)'],
    [
      [57],
      '57: a version that stands in none of CiviForm’s versions, and a draft that was applied to, are versions all the same',
    ],
    [[59], '59: an option has the name that the version of the application gave it'],
    [[62], '62: two whose names make one key, in one version or in two, are exported under it once, and reported'],
  ],
  'followed-requests': [
    [[22], '22, D13: money is a JSON number without an exponent'],
    [[56], '56: what is asked on a block that was hidden is exported where it was answered before'],
    [[58], '58: has the applications of every version of a program, whichever published versions lie between'],
    [[63], '63: a document that is stored as a text gives the same as the one it holds'],
    [[73], '73: drafts, deleted ones and those of an unknown stage are not listed'],
    [
      [76, 77, 78],
      '76, 77, 78: a date is its first instant in the instance’s zone, from it on and before it; a state in small letters is refused',
    ],
    [
      [84],
      '84, D10: a draft with an early id that is submitted between pages is in the next walk, and in this one nothing is missing or twice',
    ],
    [[92], '92: continues identically from a process that was started between two pages'],
    [[94], '94: what a data job rewrote between two walks is new in the second, in its place'],
  ],
  'followed-keys': [
    [[79], '79: is good with its secret under CiviForm’s salt, however long it is valid, and with no other'],
    [
      [80],
      '80: is good from its subnets alone, their first and last address and host bits that were left set included',
    ],
    [[81], '81: is good up to the moment it expires, and not after it'],
    [[82], '82: opens the programs it is granted, by slug, and to it no other is there'],
    [[83], '83: that is retired there, or gone, opens nothing here after the next round, and the audit log has it'],
  ],
  'followed-walks': [
    [
      [84, 85, 91],
      '84, 85, 91: an application whose time was taken before, and that was committed after, is copied once and in its place',
    ],
  ],
  'loose-data': [
    [
      [72],
      '72: an application without one comes first, and is in no span of time, even one that is open at its beginning',
    ],
    [[86], '86: a status set between pages is on the later page, and each application is there once'],
    [
      [87, 88],
      '87, 88: an application whose successor is not below the watermark yet is CURRENT, and OBSOLETE with it',
    ],
    [[89], '89: those of one microsecond are ordered by id, each once, across pages'],
    [[90], '90: a long transaction of another role holds nothing up, and one of CiviForm’s does'],
    [[93], '93: upgrades while it follows: columns appear, tables are rewritten, and nothing is lost or removed'],
    [
      [95],
      '95: one that appears below a watermark that was used is taken in, reported, and as much is allowed for from then on',
    ],
    [[96], '96: of %s, status, time and note are read, from events where there is no column'],
    [[96], '96: a column that may not be read is refused by name'],
  ],
}

describe('the cases that following was specified by', () => {
  test('each is held by a test', () => {
    const numbers = new Set(Object.values(held).flatMap(tests => tests.flatMap(([of]) => of)))
    const missing = Array.from({ length: cases }, (_, i) => i + 1).filter(number => !numbers.has(number))
    expect(missing).toEqual([])
  })

  test.each(Object.entries(held))('in %s, under the names given here', async (file, tests) => {
    const text = await Bun.file(join(import.meta.dir, `${file}.test.ts`)).text()
    const names = new Set([...text.matchAll(/\btest(?:\.each\([^;]*?\))?\(\s*'([^'\n]+)'/g)].map(([, name]) => name!))
    expect(tests.map(([, name]) => name).filter(name => !names.has(name))).toEqual([])
  })
})
