// Separates chance failures from real ones by running failed files again: tests start, kill and wait for processes on a shared machine.

import { failedElsewhere, type TestOutcome } from './bun-test.ts'

/** If more files fail, it is not by chance. */
const unsteadyFilesMax = 2

/** One process of a run: its outcome, and how to run it again with the same files in the same order. */
export interface Process {
  outcome: TestOutcome
  again: () => Promise<TestOutcome>
}

const failedFiles = ({ failedByFile }: TestOutcome): string[] =>
  [...failedByFile].flatMap(([file, failed]) => (failed > 0 ? [file] : []))

/** Whether every file was reached, and every failure belongs to a file. */
const isExplained = (outcome: TestOutcome): boolean => outcome.isComplete && failedElsewhere(outcome) === 0

/**
 * The files that failed once and passed twice when repeated: alone, and in company, that is in the whole process again. A file that fails only after
 * another one passes alone every time, so passing alone proves nothing. Empty if anything else failed: in a run that did not finish, nothing is known
 * about the files it never reached, and an error outside of the tests belongs to no file.
 */
export async function findUnsteady(
  processes: readonly Process[],
  runAlone: (file: string) => Promise<TestOutcome>,
): Promise<string[]> {
  if (!processes.every(({ outcome }) => isExplained(outcome))) return []
  const first = processes.flatMap(({ outcome }) => failedFiles(outcome))
  if (first.length === 0 || first.length > unsteadyFilesMax) return []
  // Two at once, since each would leave the other cores idle.
  const passAlone = await Promise.all(
    first.map(async file => {
      console.log(`\n${file} failed. Running it again, alone.`)
      return (await runAlone(file)).failed === 0
    }),
  )
  if (passAlone.includes(false)) return []
  // A file that ran alone has just been repeated.
  const inCompany = processes.filter(({ outcome }) => failedFiles(outcome).length > 0 && outcome.failedByFile.size > 1)
  const repeated = await Promise.all(
    inCompany.map(({ outcome, again }) => {
      const files = failedFiles(outcome).join(' and ')
      console.log(`\n${files} passed alone. Running everything in its process again, in the same order.`)
      return again()
    }),
  )
  if (!repeated.every(isExplained)) return []
  const second = repeated.flatMap(failedFiles)
  // A file that passed first and failed the second time is as unsteady as the reverse.
  const unsteady = [...new Set([...first, ...second])]
  return second.some(file => first.includes(file)) || unsteady.length > unsteadyFilesMax ? [] : unsteady
}
