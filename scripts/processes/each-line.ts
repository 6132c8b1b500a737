// Reads what a process prints, line by line.

/** Passes on each line without its ending, as it arrives; resolves after the last one. A line ending at the end starts no further line. */
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
