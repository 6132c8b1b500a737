// Speaks with helper processes of the benchmark: a JSON line there, a JSON line back, one at a time.

import { join } from 'node:path'
import type { DatabaseView } from './bench-database.ts'
import type { ChildProcesses } from './child-processes.ts'
import type { DrainAnswer, DrainRequest, DrainSetup } from './drain.ts'
import type { LoadAnswer, LoadRequest } from './http-load.ts'

export interface Conversation<Question, Answer> {
  pid: number
  /** Throws with the process's own words when it could not do what was asked. */
  ask(question: Question): Promise<Answer>
  stop(): Promise<void>
}

const answerTimeoutMs = 180_000

/** Starts the drain on a connection of its own. */
export function startDrain(children: ChildProcesses, database: DatabaseView): Conversation<DrainRequest, DrainAnswer> {
  const { address, user, database: name } = database
  const setup: DrainSetup = { address, user, database: name }
  return converse(children, ['drain.ts', JSON.stringify(setup)])
}

/** Starts the load generator. */
export function startHttpLoad(children: ChildProcesses): Conversation<LoadRequest, LoadAnswer> {
  return converse(children, ['http-load.ts'])
}

function converse<Question, Answer>(
  children: ChildProcesses,
  [file, ...args]: readonly [string, ...string[]],
): Conversation<Question, Answer> {
  const started = children.start([process.execPath, join(import.meta.dir, file), ...args], { conversation: true })
  const { stdin, stdout } = started.process as Bun.Subprocess<'pipe', 'pipe'>
  const lines = linesOf(stdout)
  return {
    pid: started.pid,
    async ask(question) {
      stdin.write(`${JSON.stringify(question)}\n`)
      await stdin.flush()
      const next = await Promise.race([lines.next(), Bun.sleep(answerTimeoutMs).then(() => undefined)])
      if (next === undefined || next.done) throw new Error(`${file} does not answer: ${started.complaint()}`)
      const answer = JSON.parse(next.value) as Answer | { error: string }
      if (typeof answer === 'object' && answer !== null && 'error' in answer) throw new Error(String(answer.error))
      return answer as Answer
    },
    stop: () => started.stop(),
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
