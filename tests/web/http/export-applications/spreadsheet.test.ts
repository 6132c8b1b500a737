// The CSV of an export, opened by a spreadsheet program as people open it.

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { useExport, useFolder } from '../../../support/fixtures.ts'
import { findNeeded, needs } from '../../../support/needs.ts'
import { outputOf } from '../../../support/run.ts'

const texts = [
  '=1+1', '=HYPERLINK("https://evil.example","x")', '+1+1', '-2+3', '@SUM(A1)', '\t=1', '＝1+1', "'tis", '0042', '+12065550100', '-122.3301', '1e5', '2026-01-31', 'TRUE', '#N/A', 'Núñez 東京 🏳️‍🌈', 'a,b;c', 'say "hi"', 'two\nlines', '  spaces  within  ', 'x'.repeat(5000),
] // biome-ignore format: a list

describe.skipIf(!needs('libreoffice'))('LibreOffice', () => {
  /** The rows of the sheet that LibreOffice makes of a file, with these options of its CSV filter. */
  async function opened(csv: Uint8Array, filter: string): Promise<{ rows: string[][]; formulas: number }> {
    const folder = await useFolder()
    const file = join(folder, 'page.csv')
    await Bun.write(file, csv)
    const options = ['--headless', `-env:UserInstallation=file://${folder}/profile`, `--infilter=CSV:${filter}`]
    const command = [findNeeded('libreoffice')!, ...options, '--convert-to', 'fods', '--outdir', folder, file]
    await outputOf(command, { env: { ...process.env, HOME: folder } })
    return readFlatSheet(await Bun.file(join(folder, 'page.fods')).text())
  }

  test('opens a page with all rows and unchanged texts, and calculates nothing', async () => {
    const { client, ids } = await useExport({ slug: 'sheet', applications: texts.length, textOf: i => texts[i]! })
    const response = await client.request({}, { Accept: 'text/csv' })
    const csv = new Uint8Array(await response.arrayBuffer())
    // 44, 34: comma and quotation mark; 76: UTF-8; and "Format quoted field as text".
    const asText = await opened(csv, '44,34,76,1,,0,true')
    expect(asText.formulas).toBe(0)
    expect(asText.rows).toHaveLength(1 + texts.length + 1)
    const [head, ...rows] = asText.rows
    const [token, id, words] = ['next_page_token', 'application_id', 'words_sheet.text'].map(name =>
      head!.indexOf(name),
    )
    expect(token).toBe(0)
    expect(rows.pop()![token!]).toBe('none')
    expect(rows.map(row => Number(row[id!]))).toEqual(ids)
    // The apostrophe in front is not the text's own, and one of them is always that.
    expect(rows.map(row => row[words!]!.replace(/^'/, ''))).toEqual(texts)
    // As its dialog proposes: what looks like a number becomes one, but nothing is calculated.
    const plain = await opened(csv, '44,34,76,1')
    expect(plain.formulas).toBe(0)
    expect(plain.rows).toHaveLength(1 + texts.length + 1)
    expect(plain.rows[0]).toEqual(head!)
    expect(plain.rows[1]![words!]).toBe("'=1+1")
    expect(plain.rows[16]![words!]).toBe('Núñez 東京 🏳️‍🌈')
  }, 120_000)
})

/** Cells of the first table of an OpenDocument spreadsheet in one file; empty rows and cells at the end are left out. */
function readFlatSheet(xml: string): { rows: string[][]; formulas: number } {
  const table = /<table:table .*?<\/table:table>/s.exec(xml)![0]
  const rows = [...table.matchAll(/<table:table-row\b[^>]*>(.*?)<\/table:table-row>/gs)].map(([, row]) =>
    [...row!.matchAll(/<table:table-cell\b([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, fields, content]) => {
        const repeated = Number(/number-columns-repeated="([0-9]+)"/.exec(fields!)?.[1] ?? 1)
        return Array.from({ length: Math.min(repeated, 100) }, () => textOf(content ?? ''))
      },
    ),
  )
  return { rows: rows.filter(row => row.some(cell => cell !== '')), formulas: table.split('table:formula=').length - 1 }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function textOf(content: string): string {
  const paragraphs = [...content.matchAll(/<text:p\b[^>]*?(?:\/>|>(.*?)<\/text:p>)/gs)].map(([, text]) =>
    (text ?? '')
      .replaceAll(/<text:s(?: text:c="([0-9]+)")?\/>/g, (_, count) => ' '.repeat(Number(count ?? 1)))
      .replaceAll('<text:tab/>', '\t')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll(/&(?:#x?([0-9a-fA-F]+)|([a-z]+));/g, (whole, code, name) =>
        name === undefined
          ? String.fromCodePoint(Number.parseInt(code, whole.startsWith('&#x') ? 16 : 10))
          : entities[name]!,
      ),
  )
  return paragraphs.join('\n')
}
