// The documentation as tests read it: blocks of code, and the commands that blocks and sentences name.

import { join } from 'node:path'

const root = join(import.meta.dir, '../..')
const paths = ['*.md', '{deploy,patches,scripts,src}/**/*.md'].flatMap(glob => [
  ...new Bun.Glob(glob).scanSync({ cwd: root }),
])

/** Path → text. Without CHANGELOG.md, which also describes the past. */
export const documents: ReadonlyMap<string, string> = new Map(
  await Promise.all(
    paths
      .filter(path => path !== 'CHANGELOG.md')
      .map(async path => [path, await Bun.file(join(root, path)).text()] as const),
  ),
)

/** The blocks of a document marked exactly like this: `sh`, `sh example`, `json`. */
export function blocks(path: string, mark: string): string[] {
  const text = documents.get(path)
  if (text === undefined) throw new Error(`There is no document ${path}.`)
  return [...text.matchAll(new RegExp(`^ *\`\`\`${mark}\n(.*?)^ *\`\`\``, 'gms'))].map(match => match[1]!)
}

interface NamedCommand {
  path: string
  /** `api-key` for `scripts/api-key create --may submit` and `tributary api-key create --may submit`. */
  script: string
  /** The rest, up to a comment, a pipe or a redirection. */
  words: readonly string[]
}

const code = /^ *```(?:sh|cron).*?^ *```|`[^`\n]+`/gms
const command =
  /(?:(?<![\w/.-])scripts\/([a-z][a-z-]*)(?![\w./-])|(?<=^ *|`)tributary(?= [^\d]|`$))((?:(?! >)[^`|;&#\n])*)/gm
const ownCommand = /^(pull|verify|types|--.*)?$/

/** Every command of ours in code, inline or in a block. */
export const namedCommands: readonly NamedCommand[] = [...documents].flatMap(([path, text]) =>
  [...text.replaceAll('\\\n', ' ').matchAll(code)].flatMap(([span]) =>
    [...span.matchAll(command)].map(([, script, rest]): NamedCommand => {
      const words = rest!.split(/\s+/).filter(word => word !== '')
      if (script !== undefined) return { path, script, words }
      const [first = '', ...others] = words
      return ownCommand.test(first) ? { path, script: 'tributary', words } : { path, script: first, words: others }
    }),
  ),
)

/** Commands whose subcommand or options are not in a help text. */
export const unknownTo = (help: string, commands: readonly NamedCommand[]): string[] =>
  commands
    .filter(({ words }) =>
      words
        .filter((word, i) => /^--(?!help)\w/.test(word) || (i === 0 && /^[a-z][a-z-]*$/.test(word)))
        .some(word => !new RegExp(`(?<![\\w-])${word.replace(/=.*/, '')}(?![\\w-])`).test(help)),
    )
    .map(({ path, script, words }) => `${path}: ${[script, ...words].join(' ')}`)
