import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { codeSamples } from '../../../src/web/docs/code-samples/code-samples.ts'
import { endWithTest, useFolder } from '../../support/fixtures.ts'
import { needs } from '../../support/needs.ts'
import { run } from '../../support/run.ts'

const slug = 'utility-assistance'
const samples = codeSamples('https://apply.example.gov', slug)

describe.each(samples)('the sample for $label', ({ code, file_name }) => {
  test('contains the address and slug of its program, and no placeholder', () => {
    expect(code).toContain('https://apply.example.gov')
    expect(code).toContain(`api/v1/admin/programs/${slug}/applications`)
    expect(code).not.toMatch(/\{\{|\}\}(?!\))/)
    expect(file_name).toStartWith(`export-${slug}.`)
  })

  test('waits when it should, and retries no more often than it says', () => {
    expect(code).toMatch(/Retry-?After/)
    expect(code).toContain('nextPageToken')
    expect(code).toContain('429')
    expect(code.toLowerCase()).toMatch(/retries_?max\s*(?:=|<-)\s*8/)
  })
})

/** The sample as far as its address, and no further: nothing is to be fetched. */
function upToAddress(id: string, code: string): string {
  if (id === 'typescript') return `${code.split('/** For the')[0]}\nconsole.log(url)\n`
  if (id === 'go') return `package main\n${code.match(/^const address.*$/m)![0]}\nfunc main() { println(address) }\n`
  return `${code.split(/\nquery *(?:=|<-)/)[0]}\n`
}

test.skipIf(!needs('go'))('the sample for Go is formatted by gofmt, and go vet finds nothing in it', async () => {
  const { code, file_name } = samples.find(({ id }) => id === 'go')!
  const cwd = await useFolder(endWithTest)
  await Bun.write(join(cwd, file_name), code)
  const env = { PATH: process.env.PATH, HOME: cwd }
  expect(await run(['gofmt', '-d', file_name], { cwd, env })).toEqual({ code: 0, out: '', err: '' })
  expect(await run(['go', 'vet', file_name], { cwd, env })).toEqual({ code: 0, out: '', err: '' })
})

test.skipIf(!needs('python3', 'r', 'go'))(
  'an address with quotation marks and special characters stays text in every language',
  async () => {
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
      go: file => ['sh', '-c', 'exec go run "$1" 2>&1', 'sh', file],
      r: file => ['Rscript', '-e', 'source(commandArgs(TRUE)[1]); cat(url)', file],
      typescript: file => [process.execPath, file],
    }
    expect(odd.map(({ id }) => id)).toEqual(expect.arrayContaining(Object.keys(readers)))
    for (const { id, file_name, code } of odd) {
      const reader = readers[id]
      if (reader === undefined) continue
      const file = join(directory, file_name)
      await Bun.write(file, upToAddress(id, code))
      const { stdout, stderr } = Bun.spawnSync(reader(file), { cwd: directory })
      expect({ id, url: String(stdout).trim(), stderr: String(stderr) }).toEqual({
        id,
        stderr: '',
        url: `https://apply.example.gov/it's/$(touch%20x)/%60y%60/api/v1/admin/programs/${slug}/applications`,
      })
    }
  },
)
