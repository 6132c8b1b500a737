// Reads the API key's username and password from the environment, a file or a prompt, and never from the command line, which every user
// of a machine can read and shells record.

import { readFileSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { CommandError, fileError } from './requests/pull-outcome.ts'

export interface Credentials {
  username: string
  password: string
}

type Environment = Readonly<Record<string, string | undefined>>

const howTo =
  'Set TRIBUTARY_USERNAME and TRIBUTARY_PASSWORD, or use --credentials with a file that has the username on its first line and the password on its second.'

/** `file` is the value of `--credentials`. Asks in the terminal if the credentials are not given otherwise. */
export async function findCredentials(
  file: string | undefined,
  environment: Environment,
  say: (line: string) => void,
): Promise<Credentials> {
  if (file !== undefined) return readCredentials(file, say)
  const { TRIBUTARY_USERNAME: username, TRIBUTARY_PASSWORD: password } = environment
  if (username && password) return { username, password }
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new CommandError('usage', `No API key was found. ${howTo}`)
  return { username: username || (await ask('Username: ')), password: await ask('Password: ', 'hidden') }
}

function readCredentials(file: string, say: (line: string) => void): Credentials {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      say(`Other users of this machine can read ${file}. Run chmod 600 on it.`)
  } catch (error) {
    throw fileError(error, `Cannot read the credentials in ${file}`)
  }
  const [username = '', password = '', ...more] = text.trim().split(/[\r\n:]+/)
  if (username === '' || password === '' || more.length > 0)
    throw new CommandError('usage', `${file} must contain two lines: the username and the password.`)
  return { username: username.trim(), password: password.trim() }
}

/** Reads one line from the terminal; with `hidden`, it is not shown. */
function ask(question: string, hidden?: 'hidden'): Promise<string> {
  return new Promise((resolve, reject) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: true })
    // Readline's echo goes through this; the question itself is written before it is silenced.
    const echo = terminal as unknown as { _writeToOutput?: (text: string) => void }
    terminal.on('SIGINT', () => {
      terminal.close()
      reject(new CommandError('usage', `No API key was found. ${howTo}`))
    })
    terminal.question(question, line => {
      terminal.close()
      if (hidden !== undefined) process.stderr.write('\n')
      resolve(line.trim())
    })
    if (hidden !== undefined) echo._writeToOutput = () => {}
  })
}
