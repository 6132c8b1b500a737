// `scripts/mutants`: puts small faults into the source, one at a time, and tells which of them no test notices.

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { exitCode, showHelpIfAsked, usage } from '../environment.ts'
import { knownMutants } from './known-mutants.ts'
import { makeMutants } from './make-mutants.ts'
import { type Mutant, type Outcome, place } from './mutant.ts'
import { relatedTests } from './related-tests.ts'
import { openWorkshop } from './workshop.ts'

const help = `Usage: scripts/mutants [options] [file …]

Puts small faults into a copy of this checkout, one at a time, runs the tests that should notice, and prints which did not.
With files of src, workers or scripts, the faults are made from their text: comparisons and signs turned, numbers off by
one, conditions turned round, waits and statements taken away. Without, those of scripts/mutation/known-mutants.ts are tried,
each of which once went unnoticed.

  --only IDS       of the known ones, these (comma-separated)
  --tests FILES    these tests instead of the related ones (comma-separated)
  --most N         at most N of each file, spread over it
  --jobs N         so many at a time; 1 unless given
  --timeout S      seconds that the tests of one fault may take; 300 unless given. Longer counts as noticed
  --at-least P     exit status 1 when fewer than P percent were noticed; 95 unless given
  --list           print the faults, and try none
  --help           this text

Exit status: 0, 1 when too few were noticed or a known one no longer fits the source, 2 for wrong usage.`

showHelpIfAsked(help)
process.exitCode = await exitCode(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      tests: { type: 'string' },
      most: { type: 'string' },
      jobs: { type: 'string' },
      timeout: { type: 'string' },
      'at-least': { type: 'string' },
      list: { type: 'boolean' },
    },
  })
  const root = join(import.meta.dir, '../..')
  const number = (name: 'most' | 'jobs' | 'timeout' | 'at-least', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name])
    if (!(value > 0)) throw usage(`--${name} must be a number above 0, and is ${values[name]}.`)
    return value
  }
  const only = values.only?.split(',')
  const known = positionals.length === 0
  const mutants: Mutant[] = known
    ? knownMutants.filter(({ id }) => only?.includes(id) ?? true)
    : (
        await Promise.all(positionals.map(file => makeMutants(root, file, number('most', Number.POSITIVE_INFINITY))))
      ).flat()
  const unknown = only?.filter(id => !knownMutants.some(mutant => mutant.id === id)) ?? []
  if (unknown.length > 0) throw usage(`There is no known mutant ${unknown.join(', ')}.`)
  if (values.list)
    return mutants.forEach(mutant => void console.log(place(mutant), mutant.equivalent ? '(equivalent)' : ''))

  const related = await relatedTests(root)
  const testsOf = (mutant: Mutant): readonly string[] =>
    values.tests?.split(',') ?? mutant.tests ?? related(mutant.file)
  const jobs = Math.min(number('jobs', 1), availableParallelism())
  const outcomes: { mutant: Mutant; outcome: Outcome }[] = []
  const waiting = [...mutants]
  await using workshop = await openWorkshop(root, number('timeout', 300) * 1000)
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      await using bench = await workshop.bench()
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
        const outcome = mutant.equivalent === undefined ? await bench.tryOut(mutant, testsOf(mutant)) : 'equivalent'
        outcomes.push({ mutant, outcome })
        console.log(`${outcome.padEnd(10)} ${place(mutant)}`)
      }
    }),
  )
  const count = (outcome: Outcome): number => outcomes.filter(one => one.outcome === outcome).length
  const noticed = count('noticed')
  const tried = noticed + count('unnoticed')
  const percent = tried === 0 ? 100 : (100 * noticed) / tried
  console.log(
    `\n${noticed} of ${tried} noticed (${percent.toFixed(1)} %), ${count('equivalent')} equivalent, ${count('stale')} no longer fit the source`,
  )
  for (const { mutant } of outcomes.filter(one => one.outcome === 'unnoticed'))
    console.log(`unnoticed: ${place(mutant)}`)
  const asked = number('at-least', 95)
  if (percent < asked) throw new Error(`Fewer than ${asked} % were noticed.`)
  if (count('stale') > 0)
    throw new Error('Some no longer fit the source: write them again, or take them out with a reason.')
})
