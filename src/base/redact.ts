// Removes secrets of API keys and administrators' tokens from text before it is written: raw, in Base64 and percent-encoded.
// Matches more than scanners do: partial secrets and secrets followed by other text are removed too.

const replacement = '[redacted]'

/**
 * Matches the prefix of a secret and what follows it, or the Base64 of a username or secret, which looks different for each of the three positions
 * that the prefix can have in a group of three bytes.
 */
const secret =
  /tribs_[0-9A-Za-z]{8,}|tribat_[0-9A-Za-z]{20}_[0-9A-Za-z]{8,}|(?:dHJpYmtf|dHJpYnNf|RyaWJzX|0cmlic1[89+/_-])[0-9A-Za-z+/_-]{8,}={0,2}/g

/** A run of characters allowed in an address. It is decoded and searched if it contains percent-encoded characters. */
const addressRun = /[0-9A-Za-z_.~+/=:%-]+/g
const percentEncoded = /%([0-9A-Fa-f]{2})/g
/** How many nested percent-encodings are decoded. */
const encodingsMax = 4

/** The text with every secret of an API key or token replaced. */
export function redactSecrets(text: string): string {
  const plain = text.replace(secret, replacement)
  return plain.includes('%') ? plain.replace(addressRun, run => (holdsSecret(run) ? replacement : run)) : plain
}

function holdsSecret(run: string): boolean {
  let meaning = run
  for (let n = 0; n < encodingsMax && meaning.includes('%'); n++) {
    meaning = meaning.replace(percentEncoded, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (meaning.search(secret) !== -1) return true
  }
  return false
}
