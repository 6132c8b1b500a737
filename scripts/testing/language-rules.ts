// The Harper rules that are enabled, and why all others are off.

/**
 * Found faults in a first run of all 885 rules over all texts, or would be right whenever they find one. The others are off, by group:
 * - Proper Nouns, Spelling: the dictionary has product names as we write them.
 * - Initialisms, Numbers and Units: want HTTP, 30 s and 100 MB spelled out.
 * - Closed Compounds, Compounds and Hyphenation: join our terms (front end, key map) and split names such as PostgreSQL.
 * - Capitalization, Punctuation and Spacing: labels and log messages begin in lower case, help is set in columns.
 * - Style and Redundancy: counts help and tables as sentences, and wants Oxford commas.
 * - Grammar and Agreement, Pronouns: 2 of 38 findings were right; “annotate needs export” is no missing infinitive.
 * - Phrase Corrections, Word Choice, Regionalisms, Miscellaneous: found nothing, for 20 s of processor time.
 */
export const rulesOn: ReadonlySet<string> = new Set([
  'SpellCheck',
  'AnA',
  'RepeatedWords',
  'DoubleModal',
  'IsBeenAuxSequence',
  'ItCan',
  'LooksLikes',
  'ModalOf',
  'MoreThatLikely',
  'RegularIrregulars',
  'SimplePastToPastParticiple',
  'TheAnother',
  'ThenThan',
  'ThereIsAgreement',
  'TheTheToThatThe',
  'WillNonLemma',
])
