import { expect, test } from 'bun:test'
import { LaterDoors } from '../../src/http/later-doors.ts'

const request = new Request('http://localhost/')

test('doors that come later are made once, for all who come meanwhile, and then answer without a promise', async () => {
  let made = 0
  const doors = new LaterDoors(async () => {
    made++
    await Promise.resolve()
    return { fetch: () => new Response('open') }
  })
  const answers = await Promise.all([doors.fetch(request), doors.fetch(request)])
  expect(await Promise.all(answers.map(answer => answer.text()))).toEqual(['open', 'open'])
  expect(made).toBe(1)
  expect(doors.fetch(request)).toBeInstanceOf(Response)
})

test('doors that could not be made fail who asked, and are made again for the next', async () => {
  let tries = 0
  const doors = new LaterDoors(async () => {
    if (++tries === 1) throw new Error('a file cannot be read')
    return { fetch: () => new Response('open') }
  })
  expect(await Promise.resolve(doors.fetch(request)).catch(String)).toContain('a file cannot be read')
  expect(await (await doors.fetch(request)).text()).toBe('open')
})
