// Outcomes of a command: exit status and message on standard error.

/** Documented in PULL.md; scripts rely on them. */
export const exitStatus = {
  /** Everything is there, complete, under its name. */
  complete: 0,
  /** It is impossible until the reported error is fixed. */
  failed: 1,
  usage: 2,
  /** Incomplete; the same command continues where this one stopped. */
  incomplete: 3,
  /** The received data or the file breaks a guarantee. */
  mismatch: 4,
  /** Another pull is writing to the same output. */
  busy: 5,
  /** Everything is there under its name, but the service gave no receipt to compare it with. */
  uncompared: 6,
} as const

export type PullOutcome = keyof typeof exitStatus

/** Ends a command; `message` is for the person who runs it, and complete by itself. */
export class CommandError extends Error {
  override name = 'CommandError'

  constructor(
    readonly outcome: Exclude<PullOutcome, 'complete'>,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Explains a file system error, with its code. */
export function fileError(error: unknown, what: string): CommandError {
  const { code, message } = error as NodeJS.ErrnoException
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'no such file or folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EISDIR: 'it is a folder',
    ENOTDIR: 'its parent is not a folder',
    EEXIST: 'a file with that name exists',
    ENAMETOOLONG: 'its name is too long',
    ELOOP: 'it is a link to itself',
    ENOSPC: 'the disk is full',
    EFBIG: 'a file this large is not allowed here',
    EDQUOT: 'the disk quota is used up',
    EROFS: 'the disk is read-only',
    EPIPE: 'its reader has closed it',
    EIO: 'the disk reported an error',
  }
  const reason = code === undefined ? `${message}.` : `${words[code] ?? message}. [${code}]`
  return new CommandError('failed', `${what}: ${reason}`, { cause: error })
}
