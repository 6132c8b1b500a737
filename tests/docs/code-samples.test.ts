import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { codeSamples } from '../../src/docs/code-samples/code-samples.ts'
import { useFolder } from '../support/fixtures.ts'
import { needs } from '../support/needs.ts'

const slug = 'utility-assistance'
const samples = codeSamples('https://apply.example.gov', slug)

describe.each(samples)('the sample for $label', ({ code, file_name }) => {
  test('has the address and slug of its program in it, and nothing left to put in', () => {
    expect(code).toContain('https://apply.example.gov')
    expect(code).toContain(`api/v1/admin/programs/${slug}/applications`)
    expect(code).not.toMatch(/\{\{|\}\}(?!\))/)
    expect(file_name).toStartWith(`export-${slug}.`)
  })

  test('knows what to wait for, and repeats no more than it says', () => {
    expect(code).toMatch(/Retry-?After/)
    expect(code).toContain('nextPageToken')
    expect(code).toContain('429')
    expect(code.toLowerCase()).toMatch(/retries_?max\s*=\s*8/)
  })
})

test.skipIf(!needs('python3'))('an address with quotes and signs in it stays a text in every language', async () => {
  const odd = codeSamples("https://apply.example.gov/it's/$(touch x)/`y`", slug)
  const directory = await useFolder()
  const readers: Record<string, (file: string) => string[]> = {
    curl: file => ['sh', '-c', `. "$1" 2> /dev/null; echo "$url"`, 'sh', file],
    python: file => [
      'python3',
      '-c',
      'import sys; exec(open(sys.argv[1]).read().split("FILTERS")[0]); print(URL)',
      file,
    ],
    typescript: file => [process.execPath, file],
  }
  for (const { id, file_name, code } of odd) {
    const reader = readers[id]
    if (reader === undefined) continue
    const file = join(directory, file_name)
    // As far as the address, and no further: nothing is to be fetched.
    const head =
      id === 'typescript' ? `${code.split('/** For the')[0]}\nconsole.log(url)\n` : `${code.split('\nquery=')[0]}\n`
    await Bun.write(file, head)
    const { stdout, stderr } = Bun.spawnSync(reader(file), { cwd: directory })
    expect({ id, url: String(stdout).trim(), stderr: String(stderr) }).toEqual({
      id,
      stderr: '',
      url: `https://apply.example.gov/it's/$(touch%20x)/%60y%60/api/v1/admin/programs/${slug}/applications`,
    })
  }
})
