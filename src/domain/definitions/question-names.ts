// Derives names for administrators from the texts of questions.

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()

/**
 * Possible admin names for a new question, generated from its text, the best first: `Which kind of tree?` → `which kind of tree`. Keys consist of
 * words without digits, so "Housing 2026" and "Housing 2027" are told apart by an added letter.
 */
export function namesFor(text: string, program: string): string[] {
  const whole = wordsOf(text) || 'new question'
  const name = whole.length <= 60 ? whole : whole.slice(0, 60).replace(/ [^ ]*$/, '')
  const place = wordsOf(program.replace(/\p{N}+/gu, ''))
  const longer = place === '' ? ' again' : ` for ${place}`
  const letters = [...'bcdefghijklmnopqrstuvwxyz'].map(letter => `${longer} ${letter}`)
  return ['', longer, ' again', ' once more', ...letters].map(after => name + after)
}
