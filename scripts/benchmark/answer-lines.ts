// The other side of a conversation (conversations.ts): a helper process that answers each line on standard input with a line.

/** What throws is answered with its message. */
export async function answerLines<Question>(answer: (question: Question) => unknown): Promise<void> {
  for await (const line of console) {
    try {
      console.log(JSON.stringify(await answer(JSON.parse(line) as Question)))
    } catch (error) {
      console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
    }
  }
}
