import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { RateCounter } from '../../../src/core/keys/rate-counter.ts'
import { until } from '../../support/until.ts'

afterEach(() => setSystemTime())

test('a clock that is set back lengthens no window and no client’s wait', async () => {
  const counter = new RateCounter({ name: 'test', max: 1, seconds: 1, keys: 'few' })
  await counter.count('a')
  setSystemTime(Date.now() - 3_600_000)
  expect(await counter.count('a')).toMatchObject({ isOver: true, seconds: 1 })
  await until('the window to be over', async () => !(await counter.count('a')).isOver)
})
