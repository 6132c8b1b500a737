// Products that can be left out of a build, and how much source each of them has in it.

import { join, relative } from 'node:path'
import { usage } from '../command-line/environment.ts'

const root = join(import.meta.dir, '../..')

const products = ['console', 'apply', 'civiform'] as const
export type Product = (typeof products)[number]

/** The products of `--without console,civiform`. Throws a usage error for any other word. */
export function parseWithout(text: string | undefined): Product[] {
  return (text ?? '')
    .split(',')
    .filter(Boolean)
    .map(word => {
      const product = products.find(name => name === word.trim())
      if (product === undefined)
        throw usage(`--without must be one or more of ${products.join(', ')}, not "${word.trim()}".`)
      return product
    })
}

/** Replaces imports of these products' code with something that reports it as missing. */
export function leaveOut(without: readonly Product[]): Bun.BunPlugin {
  return {
    name: 'leave-out',
    setup(build) {
      if (without.includes('console'))
        build.onResolve({ filter: /\/lazy-routes\.ts$/ }, () => ({ path: join(root, 'src/web/without-pages.ts') }))
      if (without.includes('apply'))
        build.onResolve({ filter: /\/lazy-apply\.ts$/ }, () => ({ path: join(root, 'src/web/without-apply.ts') }))
      if (!without.includes('civiform')) return
      build.onResolve({ filter: /^@tributary\/civiform$/ }, () => ({ path: 'package', namespace: 'without-civiform' }))
      build.onResolve({ filter: /\/(follow-civiform|operator\/civiform)\.ts$/ }, () => ({
        path: 'command',
        namespace: 'without-civiform',
      }))
      build.onLoad({ filter: /./, namespace: 'without-civiform' }, ({ path }) => ({
        loader: 'ts',
        contents: path === 'command' ? `console.error('${missing}')\nprocess.exit(1)` : refusal,
      }))
    },
  }
}

const missing = 'This build does not include the CiviForm follower.'
/** The error of a service that should follow a CiviForm and was built without it. */
const refusal = `import { Problem } from '${join(root, 'src/base/problem.ts')}'
throw new Problem('conflict', { detail: '${missing}' })`

/** Bytes of source in a binary, for each product and for the code they share. */
export function sizesOf(metafile: Bun.BuildMetafile): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const [path, { bytes }] of Object.entries(metafile.inputs)) {
    const file = relative(root, join(process.cwd(), path))
    const [product] = productFolders.find(([, folder]) => folder.test(file)) ?? ['service, workers and commands']
    sizes.set(product, (sizes.get(product) ?? 0) + bytes)
  }
  return sizes
}

const productFolders: readonly (readonly [string, RegExp])[] = [
  ['third-party packages', /node_modules\//],
  ['applicants’ pages', /^src\/web\/(apply|questions)\//],
  ['console and docs', /^src\/web\/(console|docs|editor)\//],
  ['shared by pages', /^src\/web\/html\//],
  ['CiviForm follower', /^(src\/civiform\/|workers\/follow-civiform|scripts\/operator\/civiform)/],
  ['client and pull', /^src\/clients\//],
]
