// What a soak calls broken: each promise, on a walk made up for it. And that it calls nothing broken that is not.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { promises, promisesBroken, type WalkedApplication } from '../../scripts/soaking/seen/walk-promises.ts'
import type { TruePlace } from '../../src/db/walks/walk-truth.ts'

const place = (submit_seq: number, more: Partial<TruePlace> = {}): TruePlace => ({
  submit_seq,
  application_id: submit_seq + 100,
  applicant_id: submit_seq,
  superseded_seq: null,
  erased: false,
  ...more,
})
const truth = Array.from({ length: 10 }, (_, i) => place(i + 1))
const judge = (
  walked: Parameters<typeof promisesBroken>[0],
  places: readonly TruePlace[],
  horizon: number,
  unaccounted: readonly number[] = [],
) => promisesBroken(walked, { places, unaccounted, horizon })
const asked = { pageSize: 4, pagesMax: 20, repeated: undefined }

const served = (places: readonly TruePlace[], horizon: number): WalkedApplication[] =>
  places
    .filter(({ erased }) => !erased)
    .map(({ application_id: id, applicant_id, superseded_seq }) => ({
      id,
      applicantId: applicant_id!,
      state: superseded_seq === null || superseded_seq > horizon ? 'CURRENT' : 'OBSOLETE',
      questions: ['words'],
      digest: id * 7,
      fields: {},
    }))

function paged(applications: readonly WalkedApplication[], pageSize = asked.pageSize) {
  const pages = []
  for (let at = 0; at === 0 || at < applications.length; at += pageSize)
    pages.push({
      applications: applications.slice(at, at + pageSize),
      token: at + pageSize < applications.length ? `t${at}` : null,
    })
  return pages
}

test('a correct walk has no errors, whatever is erased or superseded, at any page size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ erased: fc.boolean(), superseded: fc.option(fc.integer({ min: 1, max: 30 })) }), {
        maxLength: 25,
      }),
      fc.integer({ min: 1, max: 9 }),
      (rows, pageSize) => {
        const places = rows.map(({ erased, superseded }, i) =>
          place(i + 1, { erased, superseded_seq: superseded === null ? null : i + 1 + superseded }),
        )
        const pages = paged(served(places, rows.length), pageSize)
        const earlier = pages[0]!
        const walked = { pages, pageSize, pagesMax: 100, repeated: { earlier, later: earlier } }
        expect(judge(walked, places, rows.length)).toEqual([])
      },
    ),
  )
})

const judged = promises.filter(promise => promise !== 'answered')
const broken: Record<(typeof judged)[number], () => ReturnType<typeof promisesBroken>> = {
  lost: () => judge({ ...asked, pages: paged(served(truth, 10).toSpliced(4, 1)) }, truth, 10),
  duplicated: () =>
    judge({ ...asked, pages: paged(served(truth, 10).toSpliced(4, 0, served(truth, 10)[3]!)) }, truth, 10),
  unexpected: () => judge({ ...asked, pages: paged([...served(truth, 10), ...served([place(11)], 10)]) }, truth, 10),
  out_of_order: () => {
    const [first, second, ...rest] = served(truth, 10)
    return judge({ ...asked, pages: paged([second!, first!, ...rest]) }, truth, 10)
  },
  revision_state: () => {
    const places = truth.with(2, place(3, { superseded_seq: 7 }))
    return judge({ ...asked, pages: paged(served(places, 5)) }, places, 10)
  },
  repeatable: () => {
    const pages = paged(served(truth, 10))
    const later = {
      ...pages[1]!,
      applications: pages[1]!.applications.map(application => ({ ...application, digest: 1 })),
    }
    return judge({ ...asked, pages, repeated: { earlier: pages[1]!, later } }, truth, 10)
  },
  paged: () => {
    const pages = paged(served(truth, 10))
    return judge(
      { ...asked, pages: [...pages.slice(0, 2), { ...pages[2]!, token: 't' }, { applications: [], token: null }] },
      truth,
      10,
    )
  },
  chosen: () => {
    const [first, ...rest] = served(truth, 10)
    const pages = paged([{ ...first!, questions: ['words', 'secret'] }, ...rest])
    return judge({ ...asked, pages, chosen: 'words' }, truth, 10)
  },
  gapless: () => {
    const places = truth.toSpliced(4, 1)
    return judge({ ...asked, pages: paged(served(places, 10)) }, places, 10, [5])
  },
}

describe('a walk that breaks one promise is reported for that promise only', () => {
  test.each(judged)('%s', promise => {
    const errors = broken[promise]()
    expect(errors.length).toBeGreaterThan(0)
    expect(new Set(errors.map(error => error.promise))).toEqual(new Set([promise]))
    expect(errors.length).toBeLessThanOrEqual(5)
  })
})

test('an applicant with two CURRENT applications and an endless walk are reported too', () => {
  const places = [place(1), place(2, { applicant_id: 1 })]
  const errors = judge({ ...asked, pages: paged(served(places, 2)) }, places, 2)
  expect(errors).toEqual([{ promise: 'revision_state', detail: expect.stringMatching(/\b101\b.*\b102\b.*CURRENT/) }])
  const endless = [{ applications: served(truth.slice(0, 4), 10), token: 't' }]
  const reported = judge({ ...asked, pagesMax: 1, pages: endless }, truth.slice(0, 4), 10)
  expect(reported).toEqual([{ promise: 'paged', detail: expect.stringMatching(/\b1\b/) }])
})

describe('applications erased during a walk', () => {
  const erased = (...ids: number[]) =>
    truth.map(truePlace =>
      ids.includes(truePlace.application_id) ? { ...truePlace, applicant_id: null, erased: true } : truePlace,
    )
  const pages = paged(served(truth, 10))
  const [, second, third] = pages
  const again = (later: WalkedApplication[], places: readonly TruePlace[]) =>
    judge({ ...asked, pages, repeated: { earlier: second!, later: { ...second!, applications: later } } }, places, 10)
  const [kept, next] = [second!.applications.toSpliced(1, 1), third!.applications[0]!]

  test('may be missing from a repeated page, with the next one in their place', () => {
    expect(again(kept, erased(106))).toEqual([])
    expect(again([...kept, next], erased(106))).toEqual([])
  })

  test('are the only ones that may be missing from a repeated page, and only their places may be filled', () => {
    const errors = [
      again([...kept, next], truth),
      again([next, ...kept], erased(106)),
      again([...second!.applications, next], truth),
      again([...kept, { ...next }, third!.applications[1]!], erased(106)),
    ]
    expect(errors.map(some => some.map(({ promise, detail }) => [promise, detail.split(' was ')[0]]))).toEqual([
      [['repeatable', 'application 106']],
      [['repeatable', 'application 109']],
      [['repeatable', 'application 109']],
      [['repeatable', 'application 110']],
    ])
  })

  test('may leave the last page empty, but only if all its applications were erased', () => {
    const emptied = [...pages.slice(0, 2), { applications: [], token: null }]
    expect(judge({ ...asked, pages: emptied }, erased(109, 110), 10)).toEqual([])
    const reported = judge({ ...asked, pages: emptied }, truth, 10).map(error => error.promise)
    expect(new Set(reported)).toEqual(new Set(['lost', 'paged']))
  })
})

test('no page may have more applications than requested, not even the last one', () => {
  const [first, , last] = paged(served(truth, 10))
  const more = [...first!.applications, ...last!.applications]
  const pages = [
    {
      applications: served(truth, 10).filter(({ id }) => !more.some(application => application.id === id)),
      token: 't',
    },
    { applications: more, token: null },
  ]
  const reported = judge({ ...asked, pages }, truth, 10).filter(({ promise }) => promise === 'paged')
  expect(reported).toEqual([{ promise: 'paged', detail: expect.stringMatching(/\b2\b.*\b6\b/) }])
})
