// A file as a CiviForm exports a program: two languages, a repeated screen, conditions that name options by number, old names.

type Texts = Readonly<Record<string, string>>
const texts = (translations: Texts) => ({ translations, isRequired: true })
const inBoth = (en_US: string, es_US: string) => texts({ en_US, es_US })

interface Placed {
  id: number
  optional?: boolean
  addressCorrectionEnabled?: boolean
}

const question = (
  type: string,
  id: number,
  name: string,
  text: object,
  more: object = {},
  predicates: object = {},
) => ({
  type,
  config: {
    name,
    description: 'For administrators',
    questionText: text,
    questionHelpText: texts({ en_US: '' }),
    validationPredicates: { type, ...predicates },
    id,
    universal: false,
    primaryApplicantInfoTags: [],
    ...more,
  },
})

const option = (id: number, adminName: string, en_US: string, es_US: string, displayOrder = id) => ({
  id,
  adminName,
  localizedOptionText: inBoth(en_US, es_US),
  displayOrder,
  displayInAnswerOptions: true,
})

const choice = (id: number, name: string, of: string, text: object, questionOptions: object[], predicates = {}) => ({
  ...question('multioption', id, name, text, {}, predicates),
  multiOptionQuestionType: of,
  questionOptions,
})

const block = (id: number, en: string, es: string, placed: Placed[], more: object = {}) => ({
  id,
  name: en,
  description: '',
  localizedName: inBoth(en, es),
  localizedDescription: texts({ en_US: `About ${en.toLowerCase()}` }),
  hidePredicate: null,
  eligibilityDefinition: null,
  optionalPredicate: null,
  questionDefinitions: placed.map(placed => ({ optional: false, addressCorrectionEnabled: false, ...placed })),
  ...more,
})

const leaf = (questionId: number, scalar: string, operator: string, value: string, type = 'STRING') => ({
  rootNode: { node: { type: 'leaf', questionId, scalar, operator, value: { value, type } } },
})

/** Heating help: eight questions on four screens. */
export const civiformFile = (adminName = 'Heating Help (2024)') => ({
  program: {
    id: 34,
    adminName,
    adminDescription: 'Run by the energy office',
    externalLink: '',
    displayMode: 'PUBLIC',
    notificationPreferences: [],
    localizedName: inBoth('Heating help', 'Ayuda de calefacción'),
    localizedDescription: inBoth('Help with heating.', 'Ayuda con la calefacción.'),
    localizedShortDescription: texts({ en_US: 'Heat' }),
    localizedConfirmationMessage: texts({ en_US: 'We write to you.' }),
    blockDefinitions: [
      block(1, 'You', 'Usted', [{ id: 10 }, { id: 11, addressCorrectionEnabled: true }]),
      block(2, 'Heat', 'Calor', [{ id: 12 }, { id: 13, optional: true }]),
      block(3, 'Tank', 'Tanque', [{ id: 14 }], {
        hidePredicate: { ...leaf(12, 'SELECTION', 'IN', '["1","3"]', 'LIST_OF_STRINGS'), action: 'HIDE_BLOCK' },
        eligibilityDefinition: { predicate: {} },
      }),
      block(4, 'Household', 'Hogar', [{ id: 15, optional: true }]),
      block(5, 'Each person', 'Cada persona', [{ id: 16 }, { id: 17, optional: true }], { repeaterId: 4 }),
      block(6, 'Pension', 'Pensión', [{ id: 18, optional: true }], {
        repeaterId: 4,
        hidePredicate: { ...leaf(16, 'NUMBER', 'GREATER_THAN', '64', 'LONG'), action: 'SHOW_BLOCK' },
      }),
    ],
    programType: 'DEFAULT',
    eligibilityIsGating: true,
    categories: [],
    applicationSteps: [],
  },
  questions: [
    question('name', 10, 'Applicant Name', inBoth('What is your name?', '¿Cómo se llama?')),
    question('address', 11, 'home_address', inBoth('Where do you live?', '¿Dónde vive?'), {}, { disallowPoBox: true }),
    choice(12, 'heating', 'RADIO_BUTTON', inBoth('How do you heat?', '¿Cómo calienta?'), [
      option(1, 'gas', 'Gas', 'Gas', 2),
      option(2, 'Heating oil / other', 'Oil', 'Aceite', 1),
      option(3, 'wood', 'Wood', 'Leña', 3),
    ]),
    choice(
      13,
      'help wanted',
      'CHECKBOX',
      texts({ en_US: 'What do you need?' }),
      [option(1, 'repair', 'A repair', 'Una reparación'), option(2, 'fuel', 'Fuel', 'Combustible')],
      { minChoicesRequired: null, maxChoicesAllowed: 2 },
    ),
    question('number', 14, 'tank size', texts({ en_US: 'How large is the tank?' }), {}, { min: 1, max: 5000 }),
    {
      ...question(
        'enumerator',
        15,
        'people',
        inBoth('Who lives with you?', '¿Quién vive con usted?'),
        {},
        { minEntities: null, maxEntities: 9 },
      ),
      entityType: texts({ en_US: 'Person' }),
    },
    question('number', 16, 'age', texts({ en_US: 'How old is $this?' }), { enumeratorId: 15 }, { min: 0, max: 130 }),
    question('email', 17, 'email', texts({ en_US: 'Email of $this?' }), { enumeratorId: 15 }),
    question('currency', 18, 'pension', texts({ en_US: 'How much pension?' }), { enumeratorId: 15 }),
  ],
})
