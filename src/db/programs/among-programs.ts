// SQL condition that limits a statement to a person's programs, or allows all.

import type { Db } from '../client.ts'

/** IDs of programs, or all programs. */
export type AmongPrograms = 'all' | readonly number[]

/** The condition that `column`, with its alias if it has one, is the ID of one of these programs. */
export const isAmong = (db: Db, column: string, among: AmongPrograms) =>
  among === 'all' ? db`true` : db`${db(column)} = any(${among as number[]}::bigint[])`
