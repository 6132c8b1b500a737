import { expect, test } from 'bun:test'
import { identifyFile, importBytesMax } from '../../../src/domain/imports/identify-file.ts'
import { civiformFile } from '../../support/civiform-file.ts'
import { aDefinition } from '../../support/programs.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test.each<[string, unknown]>([
  ['definition', aDefinition()],
  ['civiform', civiformFile()],
  ['bundle', { format: 'tributary-program-1' }],
])('a file is recognized as %s, with and without a byte order mark', (form, document) => {
  for (const mark of ['', '\ufeff'])
    expect(identifyFile(bytes(mark + JSON.stringify(document))).form).toBe(form as 'bundle')
})

const others: Record<string, Uint8Array> = {
  spreadsheet: new Uint8Array([0x50, 0x4b, 3, 4, 20, 0]),
  pdf: bytes('%PDF-1.7'),
  latin: new Uint8Array([0x7b, 0xe9, 0x7d]),
  empty: bytes(' \n'),
  html: bytes('<!doctype html><title>x</title>'),
  xml: bytes('<?xml version="1.0"?><h:html/>'),
  broken: bytes('{"slug": '),
  table: bytes('type,name,label\ntext,a,A'),
  list: bytes('[{"a": 1}]'),
  formio: bytes('{"title": "x", "components": []}'),
  schema: bytes('{"$schema": "x", "properties": {}}'),
  openapi: bytes('{"openapi": "3.1.0"}'),
  applications: bytes('{"payload": []}'),
  another: bytes('{"a": 1}'),
  later: bytes('{"format": "tributary-program-9"}'),
  tooLarge: new Uint8Array(importBytesMax + 1).fill(0x20),
}

test('each other kind of file has its own explanation', () => {
  const said = Object.entries(others).map(([, file]) => {
    const identified = identifyFile(file)
    return identified.form === 'other' ? identified.appears : ''
  })
  for (const sentence of said) expect(sentence).toMatch(/^[A-Z][^\n]*\.$/)
  expect(new Set(said).size).toBe(said.length)
})
