// What the benchmark reads and writes as text: its arguments and curl's figures.

import { describe, expect, test } from 'bun:test'
import { sections } from '../../scripts/benchmark/all-sections.ts'
import { curlConfig, parseTransfers } from '../../scripts/benchmark/http-subject.ts'
import { pageSizes, repeatsFor } from '../../scripts/benchmark/measure-pages.ts'
import { parseOptions } from '../../scripts/benchmark/options.ts'

const sectionNames = Object.keys(sections)

describe('arguments', () => {
  test('nothing given is the full run: every section, 300,000 applications, five rounds, the embedded server over TCP', () => {
    expect(parseOptions([], sectionNames)).toEqual({
      applications: 300_000,
      small: false,
      rounds: 5,
      postgres: 'embedded',
      socket: 'tcp',
      keep: undefined,
      sections: sectionNames,
    })
  })

  test('sections run in their own order, each once', () => {
    expect(parseOptions(['--only', 'load, pages,load'], sectionNames).sections).toEqual(['pages', 'load'])
  })

  test.each([
    [['--only', 'pages,nothing'], '--only takes pages, memory'],
    [['--rounds', '0'], '--rounds takes a number from 1 to 50'],
    [['--rounds', '5x'], '--rounds takes a number from 1 to 50'],
    [['--postgres', 'mysql'], '--postgres takes embedded, debian'],
    [['--socket', 'udp'], '--socket takes tcp, unix'],
  ])('%p is refused in a sentence', (args, sentence) => {
    expect(() => parseOptions(args, sectionNames)).toThrow(sentence)
  })

  test('a small program has no pages larger than itself', () => {
    expect(pageSizes(300_000)).toEqual([1, 100, 1000, 10_000, 100_000])
    expect(pageSizes(30_000)).toEqual([1, 100, 1000, 10_000, 30_000])
    expect([1, 1000, 10_000, 100_000].map(repeatsFor)).toEqual([100, 20, 2, 1])
  })
})

describe('curl', () => {
  test('its figures become milliseconds and bytes', () => {
    expect(parseTransfers('200 0.002000 0.010500 3700000\n')).toEqual([
      { firstByteMs: 2, wallMs: 10.5, bytes: 3_700_000 },
    ])
  })

  test('an answer that is not 200 is an error', () => {
    expect(() => parseTransfers('503 0.002 0.01 120\n')).toThrow('503')
  })

  test('what it is told stands in quotes that cannot be left', () => {
    const config = curlConfig(['http://127.0.0.1/"x'], { Authorization: 'Basic a"b\\c' })
    expect(config).toContain('url = "http://127.0.0.1/\\"x"\n')
    expect(config).toContain('header = "Authorization: Basic a\\"b\\\\c"\n')
  })
})
