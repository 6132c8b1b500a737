// The contents of a folder of applications as one digest, updated with each change and recomputed by `tributary verify`.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Application } from '@tributary/client'
import { CommandError, fileError } from '../requests/pull-outcome.ts'

/** The name of an application's file, or of one that is being written and doesn't have its final name yet. */
export const applicationFile = /^([1-9][0-9]{0,15})\.json(\.next)?$/

export const pathOf = (folder: string, id: number): string => join(folder, `${id}.json`)

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw fileError(error, `Cannot read the folder ${folder}`)
  }
}

export interface HeldFigure {
  count: number
  /** The SHA-256 digests of all IDs in decimal digits, combined by XOR and so independent of order; in hexadecimal. */
  digest: string
}

/** The IDs in a folder. */
export class HeldIds {
  private count = 0
  private readonly bits = Buffer.alloc(32)

  static of(ids: Iterable<number>): HeldIds {
    const held = new HeldIds()
    for (const id of ids) held.change(id, 1)
    return held
  }

  /** Adds one, or removes it. */
  change(id: number, by: 1 | -1): void {
    this.count += by
    const digest = createHash('sha256').update(String(id)).digest()
    for (const [i, byte] of digest.entries()) this.bits[i]! ^= byte
  }

  figure(): HeldFigure {
    return { count: this.count, digest: this.bits.toString('hex') }
  }
}

/** IDs of the files with final names. */
export const idsOf = (names: readonly string[]): number[] =>
  names.flatMap(name => {
    const [, id, unfinished] = applicationFile.exec(name) ?? []
    return id === undefined || unfinished !== undefined ? [] : [Number(id)]
  })

/** Reads every file, and throws at the first that is not the application with its name. */
export function requireApplications(folder: string, ids: readonly number[], program: string): void {
  for (const id of ids) {
    const path = pathOf(folder, id)
    const application = parsed(path)
    if (application?.application_id !== id || application.program_name !== program)
      throw new CommandError('mismatch', `${path} does not contain application ${id} of ${program}.`)
  }
}

function parsed(path: string): Partial<Application> | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, `Cannot read ${path}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
