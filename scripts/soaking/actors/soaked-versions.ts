// The program of a soak, in versions that reorder, insert and remove questions.

import { Problem } from '../../../src/base/problem.ts'
import { loadBankFor, parseDefinition } from '../../../src/core/programs/parse-definition.ts'
import { publishDefinition } from '../../../src/core/programs/publish.ts'
import { findActiveVersion, findProgram } from '../../../src/db/programs/programs.ts'
import { type Installation, slug } from '../installation/installation.ts'
import type { Ledger } from '../seen/ledger.ts'

/** The statuses an administrator can set. */
export const statuses = ['Received', 'Approved']

interface Question {
  admin_name: string
  kind: string
  text: string
  enumerator?: string
}

const q = (name: string, kind: string, enumerator?: string): Question => ({
  admin_name: `soaked ${name}`,
  kind,
  text: `${name}?`,
  ...(enumerator === undefined ? {} : { enumerator: `soaked ${enumerator}` }),
})

/** In a different order for each `n`; questions of only some versions are in the middle. */
function ordered<T>(list: readonly T[], n: number, between: readonly T[]): T[] {
  const at = n % list.length
  const turned = [...list.slice(at), ...list.slice(0, at)]
  return n % 2 === 0 ? turned : turned.toSpliced(1, 0, ...between)
}

/** The questions of version `n`, at the top level and two enumerators deep. */
function questionsOf(n: number): Question[] {
  const job = ordered([q('employer', 'TEXT', 'jobs'), q('since', 'TEXT', 'jobs')], n, [q('pay', 'NUMBER', 'jobs')])
  const jobs = [q('jobs', 'ENUMERATOR', 'members'), ...job]
  const member = ordered([[q('name', 'TEXT', 'members')], jobs], n, [[q('nick', 'TEXT', 'members')]])
  const members = [q('members', 'ENUMERATOR'), ...member.flat()]
  return ordered([[q('words', 'TEXT')], members, [q('town', 'TEXT')]], n, [[q('extra', 'NUMBER')]]).flat()
}

/** Version `n` of the program, which changes the order of questions, inserts some and omits others. */
function definition(n: number, based_on: number | undefined) {
  const questions = questionsOf(n)
  return {
    slug,
    display_name: 'Soaked',
    statuses,
    ...(based_on === undefined ? {} : { based_on }),
    questions,
    screens: [
      {
        name: 'Screen',
        questions: questions.map(({ admin_name }) => ({
          question: admin_name,
          optional: admin_name !== 'soaked words',
        })),
      },
    ],
  }
}

/** Publishes the next version. Returns false if the database was unavailable, and records rejections. The first version throws instead. */
export async function publishVersion({ sql }: Installation, ledger: Ledger): Promise<boolean> {
  const n = ledger.publications
  try {
    const program = await findProgram(sql, slug)
    const active = program && (await findActiveVersion(sql, program.program_id))
    const document = definition(n, active?.program_version_id)
    const parsed = await parseDefinition(document, await loadBankFor(sql, document))
    await publishDefinition(sql, parsed, 'operator:soak', { move: 'all' })
    ledger.publications++
    return true
  } catch (error) {
    if (n === 0) throw error
    if (error instanceof Problem)
      ledger.note(`version ${n} was rejected: ${error.message} ${JSON.stringify(error.errors)}`)
    return false
  }
}
