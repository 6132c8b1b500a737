// The fixed XML of a workbook, and escaping of text for XML. Sources: ECMA-376 parts 1 and 2.

import type { ColumnKind } from './table-plan.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** For each kind of cell: its index in `cellXfs`; its number format, which Excel localizes; the column width. */
const looks = {
  text: { format: 49, width: 24 },
  list: { format: 49, width: 32 },
  integer: { format: 1, width: 12 },
  number: { format: 0, width: 14 },
  money: { format: 164, width: 14 },
  boolean: { format: 0, width: 10 },
  date: { format: 14, width: 12 },
  time: { format: 22, width: 18 },
} satisfies Record<ColumnKind, { format: number; width: number }>

const kinds = Object.keys(looks) as ColumnKind[]
/** They follow the default style. */
const firstStyle = 1

/** The style of a cell by its kind, or of a heading or key. */
export const styleOf = Object.fromEntries(
  [...kinds, 'heading', 'key'].map((kind, index) => [kind, firstStyle + index]),
) as Readonly<Record<ColumnKind | 'heading' | 'key', number>>

const xf = (format: number, font: number, more = ''): string =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${more}`

export const styles =
  `${declaration}<styleSheet ${main}>` +
  '<numFmts count="1"><numFmt numFmtId="164" formatCode="[$$-409]#,##0.00"/></numFmts>' +
  '<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font>' +
  '<font><sz val="9"/><color rgb="FF595959"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${firstStyle + kinds.length + 2}">${xf(0, 0, '/>')}` +
  kinds.map(kind => xf(looks[kind].format, 0, '/>')).join('') +
  xf(49, 1, ' applyFont="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>') +
  xf(49, 2, ' applyFont="1"/>') +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'

/** The start of a sheet, up to its rows. The first two rows are frozen. */
export const sheetStart = (columns: readonly ColumnKind[]): string =>
  `${declaration}<worksheet ${main}><sheetViews><sheetView workbookViewId="0">` +
  '<pane ySplit="2" topLeftCell="A3" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>' +
  columns
    .map((kind, i) => `<col min="${i + 1}" max="${i + 1}" width="${looks[kind].width}" customWidth="1"/>`)
    .join('') +
  '</cols><sheetData>'

/** The end of a sheet, after its rows. `area` is the range with a filter: the keys and everything below them. */
export const sheetEnd = (area: string): string => `</sheetData><autoFilter ref="${area}"/></worksheet>`

/** The parts that list the sheets, each a name and its XML. */
export function workbookXml(sheets: readonly { name: string; area: string }[]): [name: string, xml: string][] {
  const numbered = (item: (number: number, sheet: { name: string; area: string }) => string): string =>
    sheets.map((sheet, i) => item(i + 1, sheet)).join('')
  const quoted = (name: string): string => escaped(name.replaceAll("'", "''"))
  const filters = numbered(
    (number, { name, area }) =>
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${number - 1}" hidden="1">'${quoted(name)}'!${area}</definedName>`,
  )
  const book =
    `<workbook ${main} xmlns:r="${office}"><bookViews><workbookView/></bookViews><sheets>` +
    numbered(
      (n, { name }) => `<sheet name="${escaped(name).replaceAll('"', '&quot;')}" sheetId="${n}" r:id="rId${n}"/>`,
    ) +
    `</sheets><definedNames>${filters}</definedNames></workbook>`
  const relationship = (id: string, of: string, target: string): string =>
    `<Relationship Id="${id}" Type="${office}/${of}" Target="${target}"/>`
  const relationships = (inner: string): string =>
    `${declaration}<Relationships xmlns="${packages}/relationships">${inner}</Relationships>`
  const parts =
    numbered(n => relationship(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)) +
    relationship(`rId${sheets.length + 1}`, 'styles', 'styles.xml')
  const override = (part: string, of: string): string =>
    `<Override PartName="/xl/${part}.xml" ContentType="${type}.${of}+xml"/>`
  const types =
    `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    override('workbook', 'sheet.main') +
    override('styles', 'styles') +
    numbered(n => override(`worksheets/sheet${n}`, 'worksheet')) +
    '</Types>'
  return [
    ['xl/workbook.xml', declaration + book],
    ['xl/_rels/workbook.xml.rels', relationships(parts)],
    ['_rels/.rels', relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml'))],
    ['[Content_Types].xml', declaration + types],
  ]
}

const special = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/
const specials = new RegExp(special, 'g')
const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Text in XML. Characters that XML cannot represent, and carriage returns, which readers would drop, are written as `_x000D_`. Text that already
 * looks like that gets its underscore escaped. Source: ECMA-376 part 1, 22.9.2.19, ST_Xstring.
 */
export function escaped(text: string): string {
  const whole = text.toWellFormed()
  if (!special.test(whole)) return whole
  return whole.replace(
    specials,
    sign => names[sign] ?? `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  )
}
