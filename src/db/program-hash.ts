// The hashes of a program's id by which PostgreSQL and Citus divide applications. Each is only a guess of ours where a program lies: what is
// read there is asked whether it is the place (tests/db/shard-places.test.ts compares them with PostgreSQL's own).

/** As PostgreSQL hashes a bigint (`hashint8`), by which Citus divides the programs. Were it another one, no shard would know the program. */
export function hashOfProgram(programId: number): number {
  return finalMix((plain + folded(programId)) | 0, plain, plain)[1]
}

/** As PostgreSQL hashes the only key of a partition (`hashint8extended`, then `hash_combine64`): 64 bits without a sign. */
export function partitionHash(programId: number): bigint {
  const [b, c] = finalMix((seeded.a + folded(programId)) | 0, seeded.b, seeded.c)
  const hash = (BigInt(b >>> 0) << 32n) | BigInt(c >>> 0)
  return BigInt.asUintN(64, hash + 0x49a0f4dd15e5a8e3n)
}

/** The two halves of an id in one. */
const folded = (programId: number): number => (programId | 0) ^ (Math.floor(programId / 2 ** 32) | 0)

/** Where a hash of four bytes begins (`hash_bytes_uint32`), and where it begins with the seed of partitions. */
const plain = (0x9e3779b9 + 4 + 3_923_095) | 0
const seeded = mix((plain + 0x7a5b2236) | 0, (plain + 0x7996dcfd) | 0, plain)

function mix(a: number, b: number, c: number): { a: number; b: number; c: number } {
  for (const [first, second, third] of [
    [4, 6, 8],
    [16, 19, 4],
  ] as const) {
    a = ((a - c) ^ rotated(c, first)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotated(a, second)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotated(b, third)) | 0
    b = (b + a) | 0
  }
  return { a, b, c }
}

function finalMix(a: number, b: number, c: number): [b: number, c: number] {
  c = ((c ^ b) - rotated(b, 14)) | 0
  a = ((a ^ c) - rotated(c, 11)) | 0
  b = ((b ^ a) - rotated(a, 25)) | 0
  c = ((c ^ b) - rotated(b, 16)) | 0
  a = ((a ^ c) - rotated(c, 4)) | 0
  b = ((b ^ a) - rotated(a, 14)) | 0
  c = ((c ^ b) - rotated(b, 24)) | 0
  return [b, c]
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
