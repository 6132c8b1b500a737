// Removes the questions that a view hides from a stored text. Pure, and works on bytes.
//
// The result is byte for byte the text that would be stored if the version had never asked the hidden questions, markers included. So
// every framing (splice, CSV) also works on cut texts, given the shapes and fills of the view. It costs one pass over the bytes and a copy
// of the rest into a buffer that all rows share; nothing is parsed, decoded or built.
//
// The text must match its version, name by name. Otherwise the page fails, which is better than showing hidden content.
// `tests/core/export/framings/cut-text.test.ts` compares it with rendering the application again, and with JSON.parse.

import { markedEntityEnd } from '../../../domain/questions/answers.ts'
import type { KeyMap } from '../../../domain/questions/key-map.ts'
import type { RowWriter, VersionedRow, WalkQuestions } from './page-framing.ts'

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125
const letterN = 110
const markerByte = 1

const answersStart = Buffer.from(',"application":{')
const entitiesStart = Buffer.from('{"question_type":"ENUMERATOR","entities":[')
const entityStart = Buffer.from('{"entity_name":')

/** A member of `application` or of an entity, in text order. */
interface CutMember {
  /** `"key":` */
  name: Buffer
  isVisible: boolean
  /** For a partly visible enumerator: its members, and the text at the end of each entity. */
  entities: { members: readonly CutMember[]; end: Buffer } | undefined
}

type CutPlan = readonly CutMember[]

/** The cut from a version's shape to its visible part; undefined when all is visible. */
export function planCut(shape: KeyMap, seen: KeyMap): CutPlan | undefined {
  const byKey = new Map(seen.map(node => [node.question_key, node]))
  const members = shape.map((node): CutMember => {
    const shown = byKey.get(node.question_key)
    const inner = shown && planCut(node.children, shown.children)
    return {
      name: Buffer.from(`${JSON.stringify(node.question_key)}:`),
      isVisible: shown !== undefined,
      entities: inner && { members: inner, end: Buffer.from(`${markedEntityEnd(node)}}`) },
    }
  })
  return members.every(({ isVisible, entities }) => isVisible && entities === undefined) ? undefined : members
}

/** Cuts rows to their visible part. A returned row is valid until the next one is cut. */
export class RowCutter {
  readonly #plans = new Map<number, CutPlan | undefined>()
  #source: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0
  #out = 0

  constructor(
    /** Shapes by program version: as stored, and as visible. */
    private readonly stored: ReadonlyMap<number, KeyMap>,
    private readonly seen: ReadonlyMap<number, KeyMap>,
  ) {}

  cut(row: VersionedRow): VersionedRow {
    const plan = this.#planOf(row.programVersionId)
    if (plan === undefined) return row
    const { bytes, snapshotFrom, snapshotTo, annotationsFrom, annotationsTo } = row
    const target = scratch.of(snapshotTo - snapshotFrom + annotationsTo - annotationsFrom + 1)
    this.#source = bytes
    this.#end = snapshotTo
    const answersFrom = bytes.indexOf(answersStart, snapshotFrom)
    if (answersFrom === -1 || answersFrom >= snapshotTo) throw otherThanPlanned()
    this.#at = answersFrom + answersStart.length
    this.#out = bytes.copy(target, 0, snapshotFrom, this.#at)
    this.#members(target, plan, true)
    if (this.#at !== snapshotTo) throw otherThanPlanned()
    const cutTo = this.#out
    const annotationsEnd = cutTo + bytes.copy(target, cutTo, annotationsFrom, annotationsTo)
    // Stops a marker search that runs past the text.
    target[annotationsEnd] = markerByte
    const { isCurrent, programVersionId } = row
    const texts = { snapshotFrom: 0, snapshotTo: cutTo, annotationsFrom: cutTo, annotationsTo: annotationsEnd }
    return { bytes: target, ...texts, isCurrent, programVersionId }
  }

  #planOf(programVersionId: number): CutPlan | undefined {
    if (this.#plans.has(programVersionId)) return this.#plans.get(programVersionId)
    const [whole, seen] = [this.stored.get(programVersionId), this.seen.get(programVersionId)]
    if (whole === undefined || seen === undefined)
      throw new Error(`an application belongs to program version ${programVersionId}, which the key map does not cover`)
    const plan = planCut(whole, seen)
    this.#plans.set(programVersionId, plan)
    return plan
  }

  /** Cuts the members of an object, and returns the offset after the last. `isFirst`: no member was written before them. */
  #members(target: Buffer, members: CutPlan, isFirst: boolean): void {
    let written = !isFirst
    for (let i = 0; i < members.length; i++) {
      const { name, isVisible, entities } = members[i]!
      if (i > 0 || !isFirst) this.#passByte(comma)
      const from = this.#at
      this.#pass(name)
      if (isVisible && written) target[this.#out++] = comma
      if (entities === undefined) {
        this.#skipObject()
        if (isVisible) this.#copy(target, from)
      } else this.#entities(target, from, entities.members, entities.end)
      written ||= isVisible
    }
  }

  #entities(target: Buffer, from: number, members: CutPlan, end: Buffer): void {
    this.#pass(entitiesStart)
    this.#copy(target, from)
    while (this.#source[this.#at] !== closeBracket) {
      const entityFrom = this.#at
      this.#pass(entityStart)
      this.#skipName()
      this.#copy(target, entityFrom)
      this.#members(target, members, false)
      const endFrom = this.#at
      this.#pass(end)
      if (this.#source[this.#at] === comma) this.#at++
      else if (this.#source[this.#at] !== closeBracket) throw otherThanPlanned()
      // Includes the comma, which the text has between two entities only.
      this.#copy(target, endFrom)
    }
    const listEnd = this.#at
    this.#passByte(closeBracket)
    this.#passByte(closeBrace)
    this.#copy(target, listEnd)
  }

  /** The name of an entity: a string, or null in copied applications. */
  #skipName(): void {
    const first = this.#source[this.#at]
    if (first === quote) this.#at = this.#stringEnd(this.#at)
    else if (first === letterN) this.#at += 4
    else throw otherThanPlanned()
  }

  /** A whole question object with everything nested in it. */
  #skipObject(): void {
    const source = this.#source
    if (source[this.#at] !== openBrace) throw otherThanPlanned()
    let depth = 0
    for (let at = this.#at; at < this.#end; at++) {
      const byte = source[at]!
      if (byte === quote) at = this.#stringEnd(at) - 1
      else if (byte === openBrace || byte === openBracket) depth++
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) {
        this.#at = at + 1
        return
      }
    }
    throw otherThanPlanned()
  }

  /** Offset after the string whose opening quote is at `at`. */
  #stringEnd(at: number): number {
    const source = this.#source
    for (let i = at + 1; i < this.#end; i++) {
      const byte = source[i]!
      if (byte === quote) return i + 1
      if (byte === backslash) i++
    }
    throw otherThanPlanned()
  }

  #passByte(byte: number): void {
    if (this.#at >= this.#end || this.#source[this.#at] !== byte) throw otherThanPlanned()
    this.#at++
  }

  #pass(expected: Buffer): void {
    const { length } = expected
    if (this.#at + length > this.#end) throw otherThanPlanned()
    for (let i = 0; i < length; i++) if (this.#source[this.#at + i] !== expected[i]) throw otherThanPlanned()
    this.#at += length
  }

  /** Copies the text since `from`. For a few bytes, a loop is faster than a call into the runtime. */
  #copy(target: Buffer, from: number): void {
    if (this.#at - from > 40) this.#out += this.#source.copy(target, this.#out, from, this.#at)
    else for (let at = from; at < this.#at; at++) target[this.#out++] = this.#source[at]!
  }
}

const otherThanPlanned = (): Error => new Error('a stored text does not match its program version')

/** One buffer for all rows, since each is used before the next is cut. Very large rows get their own buffer. */
class Scratch {
  static readonly keptMax = 1024 * 1024
  #buffer = Buffer.allocUnsafeSlow(64 * 1024)

  of(bytes: number): Buffer {
    if (bytes <= this.#buffer.length) return this.#buffer
    const buffer = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(bytes)))
    if (buffer.length <= Scratch.keptMax) this.#buffer = buffer
    return buffer
  }
}

const scratch = new Scratch()

/** Created once per view of a program, and cached for as long as the view is used. */
const cutters = new WeakMap<WalkQuestions, RowCutter>()

/** The cutter for rows of these questions; undefined if everything stored is visible. */
export function cutterOf(questions: WalkQuestions): RowCutter | undefined {
  if (questions.stored === undefined) return undefined
  const cutter = cutters.get(questions) ?? new RowCutter(questions.stored, questions.shapes)
  cutters.set(questions, cutter)
  return cutter
}

/** Like `rows`, but limited to visible questions. */
export const cutRows = (rows: RowWriter, cutter: RowCutter): RowWriter => ({
  write: (target, offset, row, fill, index) => rows.write(target, offset, cutter.cut(row), fill, index),
  bytes: (row, fill) => rows.bytes(cutter.cut(row), fill),
})
