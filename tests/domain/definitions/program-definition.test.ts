import { describe, expect, test } from 'bun:test'
import type { Static } from 'typebox'
import type { Problem } from '../../../src/base/problem.ts'
import { parseDefinition } from '../../../src/core/programs/parse-definition.ts'
import type { KnownQuestion } from '../../../src/domain/definitions/definition-questions.ts'
import { kindsWith, settingNames } from '../../../src/domain/definitions/definition-schemas.ts'
import {
  type ProgramDefinition,
  programDefinitionJsonSchema,
  type programDefinitionSchema,
  programDefinitionSchemaId,
} from '../../../src/domain/definitions/program-definition.ts'
import { isObject } from '../../../src/domain/definitions/stepwise-check.ts'
import { questionKinds } from '../../../src/domain/questions/question.ts'
import { errors, known } from '../../support/definition-errors.ts'
import { aDefinition, everyKind, q } from '../../support/programs.ts'

async function details(document: unknown, bank?: readonly KnownQuestion[]): Promise<string[]> {
  try {
    await parseDefinition(document, bank)
    return []
  } catch (error) {
    return (error as Problem).errors.map(({ detail }) => detail)
  }
}

/** A definition with something put where a pointer says. */
function withChange(definition: ProgramDefinition, path: string, value: unknown): unknown {
  const copy = structuredClone(definition) as unknown
  const names = path.split('/').slice(1)
  let at = copy as Record<string, unknown>
  for (const name of names.slice(0, -1)) at = at[name] as Record<string, unknown>
  at[names.at(-1)!] = value
  return copy
}

describe('a definition', () => {
  const whole = aDefinition({ slug: 'housing-aid', questions: everyKind })

  test('with every kind of question, nested to two levels, has no error', async () => {
    expect(await errors(whole)).toEqual([])
    expect(await errors(whole, [])).toEqual([])
    expect(await parseDefinition(whole)).toBe(whole)
  })

  test('with too many questions is not checked further, whatever else is wrong with it', async () => {
    const many = Array.from({ length: 9000 }, () => ({ admin_name: 7, kind: 'SOUND', options: [{}] }))
    expect(await errors({ ...whole, slug: 'Not A Slug', questions: many })).toEqual(['too_many /questions'])
  })

  test('must have visible names and distinguishable statuses', async () => {
    expect(await errors(withChange(whole, '/display_name', ' \u2003'))).toEqual(['blank /display_name'])
    const statuses = ['Paid', 'paid', 'Paid ', 'Pa\u00efd', 'Pai\u0308d', ' ', 'Late']
    expect((await errors(withChange(whole, '/statuses', statuses))).sort()).toEqual([
      'blank /statuses/5',
      'duplicate_status /statuses/1',
      'duplicate_status /statuses/2',
      'duplicate_status /statuses/4',
    ])
  })

  test('nested as deeply as allowed has no error (D29)', async () => {
    let inner = q.text('innermost')
    for (let level = 0; level < 20; level++) inner = q.enumerator(`level ${'abcdefghijklmnopqrst'[level]}`, [inner])
    expect(await errors(aDefinition({ questions: [inner] }))).toEqual([])
  })

  test('has all its errors reported at once, in form and in meaning', async () => {
    const document = {
      ...aDefinition({ questions: [q.text('Name'), q.text('name'), q.number('age', { min: 9, max: 3 })] }),
      slug: 'Not A Slug',
      statuses: ['Paid', 'Paid', 7],
      surplus: true,
    }
    expect((await errors(document)).sort()).toEqual([
      'bounds_inconsistent /questions/2/min',
      'duplicate_status /statuses/1',
      'question_key_taken /questions/1/admin_name',
      'unknown_member /surplus',
      'wrong_characters /slug',
      'wrong_type /statuses/2',
    ])
  })

  test('lists many errors', async () => {
    const questions = Array.from({ length: 300 }, () => ({ kind: 'TEXT', text: 5 }))
    expect(await errors({ ...whole, questions, screens: [{ name: 'One', questions: [] }] })).toHaveLength(600)
  })

  test.each([
    ['/slug', 'Two-Words', 'wrong_characters /slug'],
    ['/slug', 'two--dashes', 'wrong_characters /slug'],
    ['/slug', 'a'.repeat(101), 'too_long /slug'],
    ['/slug', 'ünïcode', 'wrong_characters /slug'],
    ['/display_name', '', 'too_short /display_name'],
    ['/display_name', 'two\nlines', 'wrong_characters /display_name'],
    ['/display_name', undefined, 'required /display_name'],
    ['/statuses', 'Paid', 'wrong_type /statuses'],
    ['/statuses/0', '', 'too_short /statuses/0'],
    ['/questions/0/kind', 'ESSAY', 'not_allowed /questions/0/kind'],
    ['/questions/0/text', '', 'too_short /questions/0/text'],
    ['/questions/0/text', 'nul \0', 'unstorable_text /questions/0/text'],
    ['/questions/0/text', 'half \ud800', 'unstorable_text /questions/0/text'],
    ['/questions/0/__proto__x/y~z', 1, 'unknown_member /questions/0/__proto__x/y~z'],
    ['/questions/8/min_length', 1.5, 'wrong_type /questions/8/min_length'],
    ['/questions/14/max_length', 0, 'too_small /questions/14/max_length'],
    ['/questions/10/max', 2 ** 53, 'too_large /questions/10/max'],
    ['/screens/0/questions/0/optional', 'yes', 'wrong_type /screens/0/questions/0/optional'],
  ])('%s as %p is refused', async (path, value, error) => {
    const changed = path.includes('y~z')
      ? withChange(whole, '/questions/0', { ...whole.questions[0], '__proto__x/y~z': value })
      : withChange(whole, path, value)
    const expected = error.replace('__proto__x/y~z', '__proto__x~1y~0z')
    expect(await errors(JSON.parse(JSON.stringify(changed)))).toEqual([expected])
  })

  test('a member named __proto__ is an unknown member', async () => {
    const text = JSON.stringify(whole).replace('"slug"', '"__proto__":{"slug":"x"},"slug"')
    expect(await errors(JSON.parse(text))).toEqual(['unknown_member /__proto__'])
  })

  test('any other type in its place is refused', async () => {
    for (const document of [null, 7, 'text', [], true]) expect(await errors(document)).toEqual(['wrong_type '])
    expect((await errors({})).sort()).toEqual(
      ['display_name', 'questions', 'screens', 'slug', 'statuses'].map(name => `required /${name}`),
    )
    expect(await errors(withChange(aDefinition(), '/screens', []))).toEqual([
      'too_few /screens',
      'not_placed /questions/0',
      'not_placed /questions/1',
    ])
  })

  test('nesting beyond all bounds is refused without being traversed', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 5000; level++) deep = { not: deep }
    const [error, ...rest] = await errors(withChange(whole, '/screens/0/visible_when', deep))
    expect(error).toStartWith('too_deep /screens/0/visible_when/not')
    expect(rest).toEqual([])
  })
})

describe('question keys (D15)', () => {
  test('"an empty key" is refused', async () => {
    expect(await errors(aDefinition({ questions: [q.text('123?')] }))).toEqual([
      'empty_question_key /questions/0/admin_name',
    ])
  })

  test.each(['entity_name', 'question_type'])('"a reserved key" is refused: %s', async reserved => {
    const [words] = [reserved.replace('_', ' ')]
    expect(await errors(aDefinition({ questions: [q.text(`${words}!`)] }))).toEqual([
      'reserved_question_key /questions/0/admin_name',
    ])
    expect(await errors(aDefinition({ questions: [q.text(words.toUpperCase())] }))).toEqual([
      'reserved_question_key /questions/0/admin_name',
    ])
  })

  test('"a key equal to another question\'s under the same parent, compared without case", "naming both questions"', async () => {
    const definition = aDefinition({ questions: [q.text('Applicant name'), q.text('applicant NAME 4?')] })
    // The digits go and the space before them stays: these two differ.
    expect(await errors(definition)).toEqual([])
    const clash = aDefinition({ questions: [q.text('Applicant name'), q.text('applicant NAME4?')] })
    expect(await errors(clash)).toEqual(['question_key_taken /questions/1/admin_name'])
    expect((await details(clash))[0]).toContain('"applicant NAME4?" and "Applicant name"')
  })

  test('the same key under different parents is allowed, the same name is not', async () => {
    const children = (prefix: string) => [q.text(`${prefix} name`), q.text(`${prefix}name`)]
    expect(
      await errors(
        aDefinition({ questions: [q.text('name'), q.enumerator('pet', [q.text('name 1')]), ...children('x')] }),
      ),
    ).toEqual([])
    expect(await errors(aDefinition({ questions: [q.text('name'), q.enumerator('pet', [q.text('name')])] }))).toContain(
      'duplicate_admin_name /questions/2/admin_name',
    )
  })

  test('a key that any question in the bank has is refused, naming both questions', async () => {
    const definition = aDefinition({ questions: [q.text('shoe size')] })
    expect(await errors(definition, [known('Shoe size!')])).toEqual(['question_key_taken /questions/0/admin_name'])
    expect((await details(definition, [known('Shoe size!')]))[0]).toContain('"shoe size" and "Shoe size!"')
    expect(await errors(definition, [known('Shoe size!', 'TEXT', 'pet'), known('pet', 'ENUMERATOR')])).toEqual([])
  })
})

describe('names', () => {
  test('a question defined twice is refused', async () => {
    const definition = aDefinition({ questions: [q.text('colour')] })
    definition.questions.push({ ...definition.questions[0]! })
    expect(await errors(definition)).toEqual(['duplicate_admin_name /questions/1/admin_name'])
  })

  test('a question that is neither in the document nor in the bank is refused, if the bank is available', async () => {
    const definition = aDefinition({ questions: [q.text('colour')] })
    definition.screens[0]!.questions.push({ question: 'shoe size' })
    expect(await errors(definition)).toEqual([])
    expect(await errors(definition, [])).toEqual(['unknown_question /screens/0/questions/1/question'])
    expect(await errors(definition, [known('shoe size')])).toEqual([])
  })

  test('kind and enumerator of a question in the bank never change', async () => {
    const definition = aDefinition({ questions: [q.enumerator('pet', [q.text('name')])] })
    expect(await errors(definition, [known('pet', 'TEXT'), known('name')])).toEqual([
      'immutable /questions/0/kind',
      'immutable /questions/1/enumerator',
    ])
  })

  test('an enumerator must be an ENUMERATOR, and must not lead back to itself', async () => {
    const definition = aDefinition({ questions: [q.text('a'), q.enumerator('b'), q.enumerator('c')] })
    definition.questions[1]!.enumerator = 'c'
    definition.questions[2]!.enumerator = 'b'
    definition.questions[0]!.enumerator = 'a'
    expect((await errors(definition)).filter(error => error.includes('/enumerator')).sort()).toEqual([
      'enumerator_cycle /questions/1/enumerator',
      'enumerator_cycle /questions/2/enumerator',
      'not_an_enumerator /questions/0/enumerator',
    ])
  })
})

describe('settings', () => {
  const values = {
    options: [{ admin_id: 'a', text: 'A' }],
    min: 1,
    max: 2,
    min_length: 1,
    max_length: 2,
    min_count: 1,
    max_count: 2,
    correct_addresses: true,
  }

  test.each([...questionKinds])('a %s question accepts its own settings and no others', async kind => {
    const allowed = settingNames.filter(setting => kindsWith(setting).includes(kind))
    for (const [setting, value] of Object.entries(values)) {
      const needed = allowed.includes('options') ? { options: values.options } : {}
      const question = { admin_name: 'x', kind, text: 'x', ...needed, [setting]: value }
      const document = {
        ...aDefinition(),
        questions: [question],
        screens: [{ name: 'One', questions: [{ question: 'x' }] }],
      }
      expect(await errors(document)).toEqual(
        allowed.some(item => item === setting) ? [] : [`setting_not_allowed /questions/0/${setting}`],
      )
    }
  })

  test.each(['CHECKBOX', 'DROPDOWN', 'RADIO', 'MAP'])('%s needs options', async kind => {
    const document = withChange(aDefinition({ questions: [q.text('x')] }), '/questions/0/kind', kind)
    expect(await errors(document)).toEqual(['required /questions/0/options'])
    expect(await errors(withChange(document as ProgramDefinition, '/questions/0/options', []))).toEqual([
      'too_few /questions/0/options',
    ])
  })

  test('"Admin IDs contain only lowercase letters, digits, underscores and dashes", but ids of map features are any text', async () => {
    const ids = ['ok_1-x', 'Upper', 'sp ace', 'ü']
    const wrong = [1, 2, 3].map(at => `wrong_characters /questions/0/options/${at}/admin_id`)
    expect(await errors(aDefinition({ questions: [q.checkbox('x', ids)] }))).toEqual(wrong)
    expect(await errors(aDefinition({ questions: [q.dropdown('x', ids)] }))).toEqual(wrong)
    expect(await errors(aDefinition({ questions: [q.radio('x', ids)] }))).toEqual(wrong)
    expect(await errors(aDefinition({ questions: [q.map('x', ids)] }))).toEqual([])
    expect(await errors(aDefinition({ questions: [q.map('x', ['a', 'a'])] }))).toEqual([
      'duplicate_option /questions/0/options/1/admin_id',
    ])
  })

  test('a minimum must not exceed its maximum', async () => {
    expect(await errors(aDefinition({ questions: [q.text('x', { min_length: 3, max_length: 2 })] }))).toEqual([
      'bounds_inconsistent /questions/0/min_length',
    ])
    expect(await errors(aDefinition({ questions: [q.file('x', { min_count: 3, max_count: 2 })] }))).toEqual([
      'bounds_inconsistent /questions/0/min_count',
    ])
    expect(await errors(aDefinition({ questions: [q.checkbox('x', ['a', 'b'], { min_count: 3 })] }))).toEqual([
      'bounds_inconsistent /questions/0/min_count',
    ])
  })
})

describe('screens', () => {
  test('each question is asked once, and every question defined is asked', async () => {
    const definition = aDefinition({ questions: [q.text('a'), q.text('b')] })
    definition.screens[0]!.questions = [{ question: 'a' }]
    definition.screens.push({ name: 'Two', questions: [{ question: 'a' }] })
    expect(await errors(definition)).toEqual([
      'placed_twice /screens/1/questions/0/question',
      'not_placed /questions/1',
    ])
  })

  test('a repeated question comes after its enumerator', async () => {
    const definition = aDefinition({ questions: [q.enumerator('pet', [q.text('name')])] })
    const [screen] = definition.screens
    screen!.questions.reverse()
    expect(await errors(definition)).toEqual(['enumerator_not_placed /screens/0/questions/0/question'])
    expect((await details(definition))[0]).toContain(' /screens/0/questions/1')
    const alone = { ...definition, screens: [{ name: 'One', questions: [{ question: 'name' }] }] }
    expect(await errors(alone)).toContain('enumerator_not_placed /screens/0/questions/0/question')
    const banked = { ...alone, questions: [] }
    expect(await errors(banked, [known('name', 'TEXT', 'pet'), known('pet', 'ENUMERATOR')])).toEqual([
      'enumerator_not_placed /screens/0/questions/0/question',
    ])
  })
})

describe('the JSON Schema of program definitions', () => {
  test('and the TypeScript type are assignable to each other', () => {
    type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never
    const same: Same<Static<typeof programDefinitionSchema>, ProgramDefinition> = true
    expect(same).toBe(true)
  })

  // To mend: scripts/program schema > src/core/programs/program-definition.schema.json, and format it.
  test('stored in src/core/programs is up to date', async () => {
    const kept = (await Bun.file('src/core/programs/program-definition.schema.json').json()) as unknown
    expect(kept).toEqual(JSON.parse(programDefinitionJsonSchema()))
  })

  test('has its own URL and describes every member', () => {
    const schema = JSON.parse(programDefinitionJsonSchema()) as Record<string, unknown>
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.$id).toBe(programDefinitionSchemaId)
    const mute: string[] = []
    const look = (value: unknown, path: string): void => {
      if (!isObject(value)) return
      for (const [name, inner] of Object.entries(isObject(value.properties) ? value.properties : {})) {
        if (
          isObject(inner) &&
          !('description' in inner) &&
          !('title' in inner) &&
          !('const' in inner) &&
          !('$ref' in inner)
        ) {
          if (!/\/(all|any|value)$/.test(`${path}/${name}`)) mute.push(`${path}/${name}`)
        }
      }
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}/${name}`)
    }
    look(schema, '')
    expect(mute).toEqual([])
  })
})
