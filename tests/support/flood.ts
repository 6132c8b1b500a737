// A process of its own that opens many connections to a port of loopback and keeps them, for tests of what a service does then.
// `flood.ts <port> <connections> <what each sends>`; prints how many are open whenever it is sent a line, and ends with its input, or
// by itself after a minute.

const [port, connections, text] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4] ?? '']
let open = 0
let tried = 0
setTimeout(() => process.exit(1), 60_000)

async function connect(): Promise<void> {
  try {
    await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open(socket) {
          open++
          if (text !== '') socket.write(text)
        },
        data() {},
        close() {
          open--
        },
        error() {},
      },
    })
  } catch {}
  tried++
}

// Not all at once, or those beyond the kernel's queue would only try again after a second.
void (async () => {
  for (let i = 0; i < connections; i += 100) {
    for (let n = 0; n < Math.min(100, connections - i); n++) void connect()
    await Bun.sleep(1)
  }
})()
for await (const _line of console) console.log(JSON.stringify({ open, tried }))
process.exit(0)
