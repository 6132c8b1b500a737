// What the editor does to a document, without a page: adding, moving, naming, conditions, merging, undoing.

import { describe, expect, test } from 'bun:test'
import {
  changePlacement,
  moveQuestion,
  placeOf,
  removeScreen,
  renameQuestion,
} from '../../../src/domain/definitions/edit-definition.ts'
import type { NamedCondition, ProgramDefinition } from '../../../src/domain/definitions/program-definition.ts'
import { namesFor } from '../../../src/domain/definitions/question-names.ts'
import { withTranslation } from '../../../src/domain/languages/edit-texts.ts'
import { programTexts } from '../../../src/domain/languages/program-texts.ts'
import { questionKinds } from '../../../src/domain/questions/question.ts'
import { questionKey } from '../../../src/domain/questions/question-key.ts'
import {
  ofKind,
  questionNamed,
  replaced,
  reworded,
  withCopy,
  withQuestion,
  withScreen,
} from '../../../src/web/editor/model/adding.ts'
import { askedSamples } from '../../../src/web/editor/model/asked-samples.ts'
import { remarksOn } from '../../../src/web/editor/model/before-publishing.ts'
import { findErrors, finishedPart } from '../../../src/web/editor/model/checking.ts'
import { conditionOf, earlierThan, lineOn, linesOf, targetsIn } from '../../../src/web/editor/model/condition-lines.ts'
import { detailInWords } from '../../../src/web/editor/model/condition-problems.ts'
import { opened, placeIn, reduce, type Step } from '../../../src/web/editor/model/editor-state.ts'
import { mergeDefinitions } from '../../../src/web/editor/model/merge-definitions.ts'
import { nextMissing, selectionAt } from '../../../src/web/editor/model/missing-texts.ts'
import { dropped, questionItem, screenItem, stepped } from '../../../src/web/editor/model/moves.ts'
import { freeName, isIdFor, pastedLines, suggestedKind, withLines } from '../../../src/web/editor/model/naming.ts'
import { type StatusRow, statusRows, withStatusRows } from '../../../src/web/editor/model/status-rows.ts'
import { FormValues } from '../../../src/web/questions/form-values.ts'
import { aDefinition, everyKind, q } from '../../support/programs.ts'

const nothing: ReadonlySet<string> = new Set()
const errorsOf = async (document: ProgramDefinition) => (await findErrors(document, 20, new AbortController().signal))!
const program = aDefinition({
  slug: 'home-aid',
  screens: [
    { name: 'You', questions: [q.name('your name'), q.radio('housing', ['rent', 'own'])] },
    {
      name: 'Home',
      questions: [
        q.number('rent due', {
          visible_when: { question: 'housing', field: 'selection', operator: 'equal', value: 'rent' },
        }),
        q.enumerator('person', [q.text('their work')]),
      ],
    },
  ],
})
const order = ({ screens }: ProgramDefinition) =>
  screens.map(({ questions }) => questions.map(({ question }) => question))

test('the test program has no errors', async () => {
  expect(await errorsOf(program)).toEqual([])
})

describe('moving', () => {
  test('puts a question where it is dropped, on any screen, before or after another', () => {
    const drop = (from: string, to: string, isAfter: boolean) =>
      order(dropped(program, questionItem(from), to.startsWith('screen') ? to : questionItem(to), isAfter))
    expect(drop('your name', 'housing', true)[0]).toEqual(['housing', 'your name'])
    expect(drop('housing', 'your name', false)[0]).toEqual(['housing', 'your name'])
    expect(drop('your name', 'person', false)[1]).toEqual(['rent due', 'your name', 'person', 'their work'])
    expect(drop('your name', screenItem(1), true)[1]![0]).toBe('your name')
    expect(drop('their work', screenItem(1), false)[0]).toEqual(['your name', 'housing', 'their work'])
    expect(drop('your name', screenItem(0), true)).toEqual(order(program))
  })

  test('by keyboard takes a question across screens, and stops at the ends of the program', () => {
    const down = stepped(program, questionItem('housing'), 1)
    expect(placeOf(down, 'housing')).toEqual({ screen: 1, index: 0 })
    expect(order(stepped(down, questionItem('housing'), -1))).toEqual(order(program))
    expect(stepped(program, questionItem('your name'), -1)).toBe(program)
    expect(stepped(program, questionItem('their work'), 1)).toBe(program)
  })

  test('takes a screen with its questions', () => {
    expect(stepped(program, screenItem(0), 1).screens.map(({ name }) => name)).toEqual(['Home', 'You'])
    expect(stepped(program, screenItem(1), 1)).toBe(program)
    expect(dropped(program, screenItem(0), questionItem('person'), true).screens[1]!.name).toBe('You')
    expect(removeScreen(program, 1).questions.map(({ admin_name }) => admin_name)).toEqual(['your name', 'housing'])
  })

  test('behind a question that depends on it is an error that names both', async () => {
    const moved = moveQuestion(program, 'housing', { screen: 1, index: 1 })
    const [error] = await errorsOf(moved)
    expect(error).toMatchObject({ path: '/screens/1/questions/0/visible_when/question', code: 'not_earlier' })
    expect(detailInWords(moved, error!)).toContain(program.questions[1]!.text)
  })
})

describe('adding', () => {
  test('puts a question after the selected one, and after a list into the list', () => {
    const { to, selected } = withQuestion(program, { of: 'question', name: 'person' }, nothing)
    const { name } = selected as { name: string }
    expect(placeOf(to, name)).toEqual({ screen: 1, index: 2 })
    expect(to.questions.at(-1)).toMatchObject({ enumerator: 'person', text: '' })
    const again = withQuestion(to, selected, nothing)
    expect(again.to.questions.at(-1)!.enumerator).toBe('person')
    expect(again.selected).not.toEqual(selected)
    expect(withQuestion(program, { of: 'screen', index: 0 }, nothing).to.questions.at(-1)).not.toHaveProperty(
      'enumerator',
    )
  })

  test('copies settings and condition of the original under another name', async () => {
    const { to } = withCopy(program, 'rent due', nothing)
    const [original, copy] = to.screens[1]!.questions
    expect(copy).toEqual({ ...original!, question: copy!.question })
    expect(copy!.question).not.toBe('rent due')
    expect(await errorsOf(to)).toEqual([])
  })

  test('puts a screen after the current one', () => {
    const { to, selected } = withScreen(program, { of: 'question', name: 'your name' })
    expect([to.screens.length, to.screens[1]!.questions, selected]).toEqual([3, [], { of: 'screen', index: 1 }])
  })

  test('derives name and kind from the text until they are chosen, and references follow the name', () => {
    const state = { isFixed: false, taken: nothing }
    let { to } = withQuestion(program, { of: 'screen', index: 0 }, nothing)
    for (const text of ['When', 'Born when?']) to = reworded(to, to.questions.at(-1)!, text, state).to
    expect(to.questions.at(-1)).toMatchObject({ admin_name: 'born when', kind: 'DATE' })
    const chosen = ofKind(to, 'born when', 'TEXT')
    expect(reworded(chosen, chosen.questions.at(-1)!, 'Born where?', state).to.questions.at(-1)).toMatchObject({
      admin_name: 'born where',
      kind: 'TEXT',
    })
    const fixed = reworded(to, to.questions.at(-1)!, 'Your phone?', { isFixed: true, taken: nothing }).to
    expect(fixed.questions.at(-1)).toMatchObject({ admin_name: 'born when', kind: 'DATE' })
    const renamed = renameQuestion(program, 'housing', 'home')
    expect(JSON.stringify(renamed)).not.toContain('"housing"')
    expect(renameQuestion(program, 'person', 'member').questions.at(-1)!.enumerator).toBe('member')
  })

  test('a question that gets another name leaves all that doesn’t mention it the same objects', () => {
    const { questions, screens } = renameQuestion(program, 'rent due', 'rent')
    expect([screens[0] === program.screens[0], screens[1] === program.screens[1]]).toEqual([true, false])
    expect(questions.map((question, i) => question === program.questions[i])).toEqual([true, true, false, true, true])
    expect(renameQuestion(program, 'housing', 'home').screens[1]!.questions[1]).toBe(program.screens[1]!.questions[1]!)
  })

  test('makes names that differ in letters if programs or questions differ in digits, which keys lack', () => {
    const first = freeName('Housing 2026', program, nothing)
    const [value, two] = [
      freeName('Housing 2026', { ...program, questions: [{ admin_name: first, kind: 'TEXT', text: 'x' }] }, nothing),
      freeName('Your name', program, nothing),
    ]
    expect(first).not.toBe(value)
    expect(two).not.toBe('your name')
    for (const program of ['Housing 2026', 'Heat Help 2', '2026'])
      for (const name of namesFor('Your name', program)) expect(questionKey(name)).toMatch(/[a-z]$/)
    expect(freeName('Who?', program, new Set(['who']))).not.toBe('who')
  })

  test('names have no gap where a text has an apostrophe', () => {
    expect(freeName('Your child’s school', program, nothing)).toBe('your childs school')
    expect(withLines([], ["Don't know", 'Mother’s']).map(({ admin_id }) => admin_id)).toEqual(['dont_know', 'mothers'])
  })

  test('drops settings that another kind does not have', async () => {
    for (const kind of questionKinds) {
      const changed = ofKind(program, 'your name', kind)
      expect((await errorsOf(changed)).filter(({ code }) => code === 'setting_not_allowed')).toEqual([])
    }
    expect(ofKind(program, 'housing', 'TEXT').questions[1]!.options).toBeUndefined()
  })

  test('suggested kinds', () => {
    const suggested = ['Your name?', 'Born when?', 'Your e-mail', 'What colour?'].map(suggestedKind)
    expect(suggested).toEqual(['NAME', 'DATE', 'EMAIL', undefined])
  })
})

describe('options', () => {
  test('a pasted list loses its list markers, and each line gets an ID of its own', () => {
    const lines = pastedLines('1. Oak\r\n- Red maple\n\n• Oak\nAsh 2')
    expect(lines).toEqual(['Oak', 'Red maple', 'Oak', 'Ash 2'])
    const options = withLines([{ admin_id: 'oak', text: 'An oak' }], lines)
    expect(options.map(({ admin_id }) => admin_id)).toEqual(['oak', 'oak_2', 'red_maple', 'oak_3', 'ash_2'])
    expect([isIdFor('oak_2', 'Oak'), isIdFor('quercus', 'Oak')]).toEqual([true, false])
  })
})

describe('conditions', () => {
  const looks: NamedCondition[] = [
    { question: 'housing', operator: 'answered' },
    { question: 'housing', field: 'selection', operator: 'in', value: ['rent', 'own'] },
    {
      all: [
        { question: 'housing', operator: 'answered' },
        { question: 'rent due', field: 'number', operator: 'less_than', value: 7 },
      ],
    },
    {
      any: [
        { question: 'housing', operator: 'answered' },
        { question: 'your name', operator: 'answered' },
      ],
    },
  ]
  test.each(looks)('%j is the same read from its lines', condition => {
    expect(conditionOf(linesOf(condition)!)).toEqual(condition)
  })

  test('no condition has no lines, and nested groups are left to the document', () => {
    expect([linesOf(undefined), conditionOf({ of: 'all', lines: [] })]).toEqual([{ of: 'all', lines: [] }, undefined])
    expect(linesOf({ not: looks[0]! })).toBeUndefined()
    expect(linesOf({ all: [{ any: [looks[0]!] }] })).toBeUndefined()
  })

  test('a new line on a question of any kind is valid from the start, except for a date', async () => {
    const all = aDefinition({ slug: 'all', questions: everyKind })
    const last = { screen: 1, index: 0 }
    const targets = targetsIn(earlierThan(all, { ...last, screen: all.screens.length }), [])
    expect(new Set(targets.map(({ form }) => form)).size).toBeGreaterThan(5)
    for (const target of targets.filter(({ form }) => form !== 'date')) {
      const visible_when = conditionOf({ of: 'all', lines: [lineOn(target)] })
      const asked = { ...all, screens: [...all.screens, { name: 'Last', visible_when, questions: [] }] }
      const inEntity = all.questions.find(({ admin_name }) => admin_name === target.question)!.enumerator !== undefined
      expect([target.question, inEntity ? [] : await errorsOf(asked)]).toEqual([target.question, []])
    }
  })

  test('a condition can use earlier questions, asked once or for each item of the same list', () => {
    const names = (at: Parameters<typeof earlierThan>[1]) =>
      earlierThan(program, at).map(({ admin_name }) => admin_name)
    expect(names({ screen: 1, index: 1 })).toEqual(['your name', 'housing', 'rent due'])
    expect(names({ screen: 1, index: 3 })).not.toContain('their work')
    expect(names({ screen: 1, index: 3, enumerator: 'person' })).toContain('their work')
    expect(names({ screen: 0, index: 0 })).toEqual([])
  })
})

describe('saving an unfinished program', () => {
  test('leaves out new questions with errors, while another error prevents saving', async () => {
    const { to } = withQuestion(program, { of: 'screen', index: 0 }, nothing)
    const errors = await errorsOf(to)
    expect(errors.map(({ path }) => path)).toEqual(['/questions/5/text'])
    expect(finishedPart(to, errors, program)).toEqual(program)
    const broken = { ...to, display_name: '' }
    expect(finishedPart(broken, await errorsOf(broken), program)).toBeUndefined()
    expect(finishedPart(to, errors, to)).toBeUndefined()
  })
})

describe('two editors', () => {
  const change = (name: string, text: string, of = program): ProgramDefinition => ({
    ...of,
    questions: of.questions.map(question => (question.admin_name === name ? { ...question, text } : question)),
  })

  test('keep both changes to different questions, settings and positions', async () => {
    const mine = withQuestion(change('your name', 'Mine?'), { of: 'question', name: 'your name' }, nothing)
    const named = change((mine.selected as { name: string }).name, 'Added by me', mine.to)
    const theirs = moveQuestion(change('housing', 'Theirs?'), 'housing', { screen: 0, index: 0 })
    const { document, clashes } = mergeDefinitions(program, named, { ...theirs, statuses: ['Received'], based_on: 7 })
    expect(clashes).toEqual([])
    expect(order(document)[0]).toEqual(['housing', 'your name', (mine.selected as { name: string }).name])
    const texts = document.questions.map(({ text }) => text)
    for (const text of ['Mine?', 'Theirs?', 'Added by me']) expect(texts).toContain(text)
    expect([document.statuses, document.based_on]).toEqual([['Received'], 7])
    expect(await errorsOf({ ...document, based_on: 7 })).toEqual([])
  })

  test('conflict over one question, order or name, and over removing what the other changed', () => {
    const clashes = (mine: ProgramDefinition, theirs: ProgramDefinition) =>
      mergeDefinitions(program, mine, theirs).clashes
    expect(clashes(change('housing', 'a'), change('housing', 'b'))).toEqual(['housing'])
    expect(clashes(change('housing', 'a'), change('housing', 'a'))).toEqual([])
    const up = stepped(program, questionItem('housing'), -1)
    expect(clashes(up, stepped(program, screenItem(0), 1))).toEqual(['screens'])
    expect(clashes({ ...program, display_name: 'a' }, { ...program, display_name: 'b' })).toEqual(['display_name'])
    expect(clashes(removeScreen(program, 1), change('rent due', 'b'))).toEqual(['rent due'])
    expect(mergeDefinitions(program, removeScreen(program, 1), program).document).toEqual(removeScreen(program, 1))
  })
})

describe('the preview', () => {
  const paths = (...pairs: [string, string][]) =>
    askedSamples(program, new FormValues(pairs)).map(asked => asked.map(({ path }) => path))

  test('evaluates conditions with the sample answers, ignoring answers to hidden questions', () => {
    expect(paths()).toEqual([['/your name', '/housing'], ['/person']])
    expect(paths(['/housing/selection', 'rent'])[1]).toEqual(['/rent due', '/person'])
    expect(paths(['/housing/selection', 'own'])[1]).toEqual(['/person'])
  })

  test('asks repeated questions for each item of the list, with its name', () => {
    const values = new FormValues([
      ['/person/entities/0/entity_name', 'Ana'],
      ['/person/entities/2/entity_name', 'Ben'],
    ])
    const [, asked] = askedSamples(program, values)
    expect(asked!.map(({ path }) => path)).toEqual([
      '/person',
      '/person/entities/0/their work',
      '/person/entities/2/their work',
    ])
    expect(asked!.map(({ about }) => about)).toEqual(['', 'Ana', 'Ben'])
  })

  test('compares numbers, money, dates and lists of options as in exports', () => {
    const compared = aDefinition({
      slug: 'compared',
      screens: [
        { questions: [q.currency('money'), q.date('day'), q.checkbox('all of it', ['a', 'b'])] },
        {
          name: 'Then',
          questions: [
            ['money', 'currency_dollars', 'equal', 12.5],
            ['day', 'date', 'less_than', '2000-01-01'],
            ['all of it', 'selections', 'includes_all', ['a', 'b']],
          ].map(([question, field, operator, value], i) =>
            q.text(`shown ${'abc'[i]}`, { visible_when: { question, field, operator, value } as NamedCondition }),
          ),
        },
      ],
    })
    const values = new FormValues([
      ['/money/currency_dollars', '12.50'],
      ['/day/date/year', '1999'],
      ['/day/date/month', '7'],
      ['/day/date/day', '4'],
      ['/all of it/selections', 'a'],
      ['/all of it/selections', 'b'],
    ])
    expect(askedSamples(compared, values)[1]).toHaveLength(3)
  })
})

describe('before publishing', () => {
  test('everything missing or unusual is listed with its place', async () => {
    const codes = async (document: ProgramDefinition) =>
      remarksOn(document, await errorsOf(document)).map(({ code }) => code)
    const complete = { ...program, statuses: ['Received'] }
    expect(await codes(complete)).toEqual([])
    expect(await codes({ ...complete, statuses: [] })).toEqual(['no_statuses'])
    const { to } = withScreen(complete, { of: 'program' })
    expect(remarksOn(to, [])).toMatchObject([{ code: 'empty_screen', at: { of: 'screen', index: 2 } }])
    expect(await codes(withCopy(complete, 'your name', nothing).to)).toEqual(['same_text'])
    expect(await codes(withQuestion(complete, { of: 'screen', index: 0 }, nothing).to)).toEqual(['incomplete'])
    expect(
      await codes(aDefinition({ statuses: ['A'], questions: [q.enumerator('car'), q.radio('one', ['x'])] })),
    ).toEqual(['empty_list', 'one_option'])
    const equal = ['rent', 'own'].map(value => ({
      question: 'housing',
      field: 'selection',
      operator: 'equal' as const,
      value,
    }))
    const never = changePlacement(complete, 'person', { visible_when: { all: equal } })
    expect(await codes(never)).toEqual(['never_met'])
    for (const before of [[], [q.static('read this')]])
      expect(
        await codes(aDefinition({ statuses: ['A'], questions: [...before, q.text('any', { optional: true })] })),
      ).toEqual(['all_optional'])
    expect(await codes({ ...complete, display_name: '' })).toEqual(['incomplete'])
    expect(await codes(aDefinition({ statuses: ['A'], screens: [{ name: 'Empty', questions: [] }] }))).toEqual([
      'no_questions',
    ])
    expect(await codes(aDefinition({ statuses: ['A'], questions: [q.static('read this')] }))).toEqual(['no_answers'])
    const screens = complete.screens.with(1, { ...complete.screens[1]!, visible_when: { all: equal } })
    expect(remarksOn({ ...complete, screens }, [])).toMatchObject([
      { code: 'never_met', at: { of: 'screen', index: 1 } },
    ])
    expect(remarksOn({ ...complete, languages: ['es'] }, [])).toMatchObject([{ code: 'untranslated', language: 'es' }])
  })
})

describe('statuses', () => {
  const denied = { status: 'Denied', color: 'red', public_name: 'No', translations: { es: { public_name: 'No' } } }
  const document = {
    ...program,
    languages: ['es'],
    statuses: ['Received', 'Denied'],
    status_details: [denied],
  } as ProgramDefinition

  test('keep their details when they are renamed, moved or removed', () => {
    const [received, second] = statusRows(document) as [StatusRow, StatusRow]
    expect(withStatusRows(document, [received, second])).toEqual(document)
    const renamed = withStatusRows(document, [second, { ...received, status: 'New', color: 'blue' }])
    expect(renamed.statuses).toEqual(['Denied', 'New'])
    expect(renamed.status_details).toEqual([denied as never, { status: 'New', color: 'blue' }])
    expect(withStatusRows(document, [received])).not.toHaveProperty('status_details')
  })

  test('have separate details, even if they are empty', () => {
    const places = statusRows({ ...document, statuses: ['Received', 'Denied', 'New', 'Received'] }).map(({ at }) => at)
    expect(new Set(places).size).toBe(4)
    expect(places[1]).toBe(0)
  })

  test('get their own details back after temporarily having the name of another', () => {
    const typed = ['Denied', 'Denied so far', 'Denied', 'Re'].reduce(
      (to, status) => {
        const [first, ...rest] = statusRows(to)
        return withStatusRows(to, [{ ...first!, status }, ...rest])
      },
      withStatusRows(document, [{ ...statusRows(document)[0]!, color: 'green' }, statusRows(document)[1]!]),
    )
    expect(typed.status_details).toEqual([{ status: 'Re', color: 'green' }, denied as never])
  })
})

describe('translating', () => {
  const bilingual: ProgramDefinition = { ...program, languages: ['es'] }
  const inOrder = programTexts(bilingual).map(({ pointer }) => pointer)

  test('goes from one missing text to the next in reading order, from the selection, and from the last to the first', () => {
    const seen: (string | undefined)[] = []
    let at: string | undefined
    for (let i = 0; i < inOrder.length + 1; i++) {
      const selected = at === undefined ? ({ of: 'program' } as const) : selectionAt(bilingual, at)
      at = nextMissing(bilingual, 'es', selected, at)
      seen.push(at)
    }
    expect(seen).toEqual([...inOrder, inOrder[0]])
    expect(nextMissing(bilingual, 'es', { of: 'question', name: 'rent due' }, inOrder[0])).toBe('/questions/2/text')
  })

  test('skips translated texts, and ends when all are translated', () => {
    const [first = '', second, ...rest] = inOrder
    const definition = withTranslation(bilingual, second!, 'es', 'Algo')
    expect(nextMissing(definition, 'es', selectionAt(definition, first), first)).toBe(rest[0])
    const all = inOrder.reduce((to, pointer) => withTranslation(to, pointer, 'es', 'Algo'), bilingual)
    expect(nextMissing(all, 'es', { of: 'program' }, undefined)).toBeUndefined()
  })

  test('leaves out translations of a bank question in languages that the program does not offer', async () => {
    const translations = { es: { text: 'Sí' }, ar: { text: 'نعم' } }
    const banked = { admin_name: 'banked', kind: 'TEXT' as const, text: 'Yes', translations }
    const present: Step = { document: bilingual, selected: { of: 'program' } }
    const { to } = replaced(present, 'your name', banked, nothing)!
    expect(questionNamed(to, 'banked')!.translations).toEqual({ es: { text: 'Sí' } })
  })
})

test.each([
  ['#program', { of: 'program' }],
  ['#screen-2', { of: 'screen', index: 1 }],
  ['#screen-99', undefined],
  ['#screen-none', undefined],
  ['#question-%', undefined],
  ['#question-no%20such', undefined],
  ['', undefined],
] as const)('the address %p opens its element, or otherwise the first question', (hash, place) => {
  expect(opened(program, placeIn(hash)).selected).toEqual(place ?? opened(program).selected)
})

test('the address of a question contains its encoded name', () => {
  const name = program.questions.at(-1)!.admin_name
  expect(opened(program, placeIn(`#question-${encodeURIComponent(name)}`)).selected).toEqual({ of: 'question', name })
})

describe('undo', () => {
  test('reverts one step at a time, with continuous typing as one step, and redoes it', () => {
    let state = opened(program)
    const [a, b, c] = ['a', 'b', 'c'].map(display_name => ({ ...program, display_name })) as [
      ProgramDefinition,
      ProgramDefinition,
      ProgramDefinition,
    ]
    state = reduce(state, { do: 'edit', to: a, typing: 'name', at: 0 })
    state = reduce(state, { do: 'edit', to: b, typing: 'name', at: 500 })
    state = reduce(state, { do: 'edit', to: c, typing: 'name', at: 5000 })
    state = reduce(state, { do: 'undo' })
    expect(state.document).toBe(b)
    state = reduce(state, { do: 'undo' })
    expect(state.document).toBe(program)
    state = reduce(reduce(state, { do: 'redo' }), { do: 'redo' })
    expect([state.document, state.future]).toEqual([c, []])
    state = reduce(reduce(state, { do: 'undo' }), { do: 'edit', to: a, at: 9000 })
    expect(reduce(state, { do: 'redo' })).toBe(state)
  })

  test('keeps input and selection when a bank question arrives late', () => {
    const banked = { admin_name: 'birth day', kind: 'DATE' as const, text: 'Born?' }
    const use = (name: string) => ({
      do: 'edit-late' as const,
      change: (present: Step) => replaced(present, name, banked, nothing),
      at: 10_000,
    })
    const asked = withQuestion(program, { of: 'question', name: 'their work' }, nothing)
    const named = reworded(asked.to, asked.to.questions.at(-1)!, 'birth day', { isFixed: false, taken: nothing })
    const state = reduce(opened(program), { do: 'edit', ...named, at: 0 })
    expect(state.selected).toEqual({ of: 'question', name: 'birth day' })
    const used = reduce(state, use('your name'))
    expect([order(used.document)[0]?.[0], questionNamed(used.document, 'birth day')?.text]).toEqual([
      'birth day',
      'Born?',
    ])
    const selected = used.selected.of === 'question' ? questionNamed(used.document, used.selected.name) : undefined
    expect([selected?.text, selected?.admin_name === 'birth day']).toEqual(['birth day', false])
    expect(reduce(used, { do: 'undo' }).document).toBe(state.document)
    expect(reduce(opened(program), use('your name')).selected).toEqual({ of: 'question', name: 'birth day' })
    expect(reduce(state, use('gone'))).toBe(state)
    expect(reduce(used, use('housing'))).toBe(used)
  })

  test('shows what it changes, and never selects a removed question', () => {
    let state = opened(program)
    const added = withQuestion(program, state.selected, nothing)
    state = reduce(state, { do: 'edit', ...added, at: 0 })
    state = reduce(state, { do: 'undo' })
    expect(state.selected).toEqual({ of: 'question', name: 'your name' })
  })
})
