// Reads what a process prints, line by line.

/** Hands on each line without its end, as it comes; resolves when the last one was. What follows the last line's end is none. */
export async function eachLine(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => unknown,
): Promise<void> {
  let rest = ''
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
}
