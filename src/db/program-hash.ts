// The hashes of a program's id by which PostgreSQL and Citus divide applications. Each is only a guess of ours where a program lies: what is
// read there is asked whether it is the place (tests/db/shard-places.test.ts compares them with PostgreSQL's own).

/** As PostgreSQL hashes a bigint (`hashint8`), by which Citus divides the programs. Were it another one, no shard would know the program. */
export function hashOfProgram(programId: number): number {
  return finalMix((plain + folded(programId)) | 0, plain, plain)[1]
}

/** The two halves of an id in one. */
const folded = (programId: number): number => (programId | 0) ^ (Math.floor(programId / 2 ** 32) | 0)

/** Where a hash of four bytes begins (`hash_bytes_uint32`). */
const plain = (0x9e3779b9 + 4 + 3_923_095) | 0

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
