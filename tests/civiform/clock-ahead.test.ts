// A server of CiviForm's whose clock is ahead: what is submitted there is reported until its time has come, and exported then.

import { expect, test } from 'bun:test'
import { findFollowState, readFindings, readFollowFigures } from '../../src/civiform/db/follow-state.ts'
import { useFollowedClient, useFollowing } from '../support/civiform/following.ts'

const program = 'rent relief'

test('submissions with a time in the future are a finding, an error in the log and a metric until that time', async () => {
  const following = await useFollowing()
  const { civiform, sql, catchUp, log } = following
  await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
  await catchUp()
  const client = await useFollowedClient(following)
  const ids = async () => (await client.walkAll()).map(application => application.application_id)
  const time = new Date(Date.now() + 3_600_000).toISOString()
  const ahead = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {}, time })
  const known = await civiform.submit({ applicant: await civiform.applicant(), program, answers: {} })
  const errors = () => log.filter(({ level }) => level === 'error')
  const seen = async () => ({
    findings: (await readFindings(sql)).map(({ kind }) => kind),
    applications: (await findFollowState(sql))!.ahead_applications,
    isAnHour: Math.abs((await readFollowFigures(sql))!.aheadSeconds - 3600) < 60,
    errors: errors().length,
  })
  await catchUp()
  expect(await ids()).toEqual([known])
  const reported = { findings: ['clock_ahead'], applications: 1, isAnHour: true, errors: 1 }
  expect(await seen()).toEqual(reported)
  // Reported once.
  await catchUp()
  expect(await seen()).toEqual(reported)
  expect(errors()[0]!.fields).toMatchObject({ applications: 1 })
  await civiform.set(ahead, { submit_time: new Date().toISOString().replace('Z', '') })
  await catchUp()
  expect(await ids()).toEqual([known, ahead])
  expect(await seen()).toEqual({ findings: [], applications: 0, isAnHour: false, errors: 1 })
})

test('a CiviForm clock that is a few seconds ahead is not reported', async () => {
  const { civiform, sql, follower, log } = await useFollowing()
  await civiform.publish({ [program]: [{ name: 'job', type: 'TEXT' }] })
  const time = new Date(Date.now() + 4000).toISOString()
  await civiform.submit({ applicant: await civiform.applicant(), program, answers: {}, time })
  await follower.round()
  expect(await readFindings(sql)).toEqual([])
  expect(log.filter(({ level }) => level === 'error')).toEqual([])
})
