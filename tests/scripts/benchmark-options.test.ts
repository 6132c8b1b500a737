// What the benchmark reads and writes as text: its arguments, curl's figures, /proc, and the pages it compares.

import { describe, expect, test } from 'bun:test'
import { curlConfig, parseTransfers } from '../../scripts/benchmark/http-subject.ts'
import { parseOptions } from '../../scripts/benchmark/options.ts'
import { differenceOf, tokenOf } from '../../scripts/benchmark/page-body.ts'
import { mainThreadMs, peakBytes, processorMs, resetPeak, statMs } from '../../scripts/benchmark/process-meter.ts'
import { idleShare, processorTimes } from '../../scripts/benchmark/quiet-machine.ts'
import { sections } from '../../scripts/benchmark/sections/all-sections.ts'
import { pageSizes, repeatsFor } from '../../scripts/benchmark/sections/measure-pages.ts'

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
      sharedBuffers: '2GB',
      help: false,
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
    [['--shared-buffers', '1; rm'], '--shared-buffers takes a size'],
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

describe.if(process.platform === 'linux')('/proc', () => {
  test('times are found after a name with spaces and brackets', () => {
    expect(statMs('12 (a b) c) S 1 1 1 0 -1 4194560 1 0 0 0 7 5 0 0 20 0')).toBe(120)
  })

  test('this very process costs time and memory', () => {
    resetPeak(process.pid)
    expect(processorMs(process.pid)).toBeGreaterThan(0)
    expect(mainThreadMs(process.pid)).toBeGreaterThan(0)
    expect(peakBytes(process.pid)).toBeGreaterThan(1_000_000)
  })

  test('a process that is not there costs nothing', () => {
    expect(processorMs(2 ** 22 + 1)).toBe(0)
    expect(peakBytes(2 ** 22 + 1)).toBeNaN()
  })
})

describe('pages', () => {
  const page = (payload: unknown[], token = 'null'): string =>
    `${JSON.stringify({ payload }).slice(0, -1)},"nextPageToken":${token}}`

  test('the token is read from the end alone', () => {
    expect(tokenOf(page([{ note: '],"nextPageToken":"fake"}' }], '"abc"'))).toBe('abc')
    expect(tokenOf(page([]))).toBeNull()
    expect(() => tokenOf('{"payload":[{"a":1}')).toThrow('does not end as pages do')
  })

  test('the same applications are the same, however they are written', () => {
    expect(differenceOf('{"payload":[{"a":1,"b":[null]}]}', '{ "payload" : [ {"b":[null],"a":1.0} ] }')).toBeUndefined()
  })

  test('another answer, another order, one more: each is a difference', () => {
    const two = page([{ id: 1 }, { id: 2 }])
    expect(differenceOf(two, page([{ id: 1 }, { id: 3 }]))).toContain('application 1 differs')
    expect(differenceOf(two, page([{ id: 2 }, { id: 1 }]))).toContain('application 0 differs')
    expect(differenceOf(two, page([{ id: 1 }]))).toBe('2 applications against 1')
  })
})

describe('a quiet machine', () => {
  const stat = (user: number, idle: number): string => `cpu  ${user} 0 0 ${idle} 0 0 0 0 0 0\ncpu0 1 1 1 1\n`

  test('the share of idle time between two looks', () => {
    const before = processorTimes(stat(100, 100))
    expect(idleShare(before, processorTimes(stat(110, 190)))).toBe(0.9)
    expect(idleShare(before, processorTimes(stat(200, 100)))).toBe(0)
  })

  test('two looks at the same moment see nothing', () => {
    expect(idleShare(processorTimes(stat(1, 1)), processorTimes(stat(1, 1)))).toBe(1)
  })
})
