// The one line of a request in the log: what of its address may be in it.

import { expect, test } from 'bun:test'
import { mintCredential } from '../../../src/core/keys/credential.ts'
import { aPerson, ConsoleVisitor } from '../../support/console.ts'
import { useDatabase, useService } from '../../support/fixtures.ts'
import { aProgram } from '../../support/programs.ts'
import { rawRequest } from '../../support/raw-request.ts'

const database = await useDatabase()
const service = await useService(database)

async function pathLogged(target: string, host = 'localhost'): Promise<unknown> {
  const answer = await rawRequest(service.port, [`GET ${target} HTTP/1.1`, `Host: ${host}`])
  return service.requestLine(answer.headers.get('x-request-id'))!.path
}

test('the log line of a request has its path without the query', async () => {
  expect(await pathLogged('/a/b?token=x')).toBe('/a/b')
  expect(await pathLogged('/a/b?x=/y#/z')).toBe('/a/b')
  expect(await pathLogged('/')).toBe('/')
  expect(await pathLogged('/?x')).toBe('/')
  expect(await pathLogged('https://elsewhere/a/b?c')).toBe('/a/b')
})

test('the log line of a request has its path even with an invalid host', async () => {
  expect(await pathLogged('/a/b?token=x', 'https://somewhere')).toBe('/a/b')
  expect(await pathLogged('/a/b?token=x', '%')).toBe('/a/b')
})

test('the log line of docs that a person reads has the program and the address', async () => {
  await aProgram(database.sql, { slug: 'food' })
  const visitor = await new ConsoleVisitor(service).signIn((await aPerson(database.sql)).email)
  const answer = await visitor.get('/docs/api/programs/food')
  const logged = { program: 'food', address: '127.0.0.1' }
  expect(service.requestLine(answer.headers.get('x-request-id'))).toMatchObject(logged)
})

test('at most 512 characters of the path are logged', async () => {
  expect(await pathLogged(`/${'a'.repeat(2000)}`)).toBe(`/${'a'.repeat(511)}`)
})

test('a log line contains no credential, wherever it was sent', async () => {
  const { username, password, apiSecretToken } = mintCredential()
  expect(await pathLogged(`/${username}/${password}/${apiSecretToken}/${btoa(password)}`)).toBe(
    '/[redacted]/[redacted]/[redacted]/[redacted]',
  )
  const encoded = [...`${username}:${password}`].map(character => `%${character.charCodeAt(0).toString(16)}`).join('')
  for (const spelling of [encoded, encodeURIComponent(apiSecretToken), encoded.replaceAll('%', '%25')]) {
    expect(String(await pathLogged(`/x/${spelling}`))).toContain('[redacted]')
    expect(service.logText()).not.toContain(spelling.slice(-30))
  }
  for (const before of [400, 465, 500]) {
    const logged = String(await pathLogged(`/${'a'.repeat(before)}/${password}`))
    expect(logged.startsWith(`/${'a'.repeat(before)}/[red`.slice(0, 512))).toBe(true)
  }
  expect(service.logText()).not.toContain(username)
  expect(service.logText()).not.toContain(password.slice(0, 10))
  expect(service.logText()).not.toContain(apiSecretToken)
})
