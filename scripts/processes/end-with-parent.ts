// Ends a child process when this process ends in any way, even by SIGKILL, after which it can't do so itself.

interface EndOptions {
  signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'
  /** A folder to remove afterwards. */
  remove?: string
}

// Its standard input closes when the process that holds the other end dies. A line on it means that nothing is left to do. The second signal makes a
// process of the service that is still draining exit immediately; whatever remains after a minute is killed.
const watch = `
read -r ended && exit 0
kill -s "$2" "$1" 2> /dev/null
n=0
while kill -0 "$1" 2> /dev/null && [ $n -lt 60 ]; do n=$((n + 1)); sleep 1; kill -s "$2" "$1" 2> /dev/null; done
kill -s KILL "$1" 2> /dev/null
[ -z "$3" ] || rm -rf "$3"
`

/** Starts a small shell in its own session, so that it survives whatever happens to this process and its group. */
export function endWithParent(child: Bun.Subprocess, { signal, remove = '' }: EndOptions): void {
  const name = signal.replace('SIG', '')
  const watcher = Bun.spawn(['/bin/sh', '-c', watch, 'end-with-parent', String(child.pid), name, remove], {
    cwd: '/',
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
    detached: true,
  })
  watcher.unref()
  void child.exited.then(async () => {
    watcher.stdin.write('ended\n')
    await watcher.stdin.end()
  })
}
