// Maps CiviForm's question types to our kinds.

import type { QuestionKind } from '../questions/question.ts'

/** By the name of the type, in capitals. Types of later CiviForm versions are missing. */
export const civiformKinds: Readonly<Record<string, QuestionKind>> = {
  ADDRESS: 'ADDRESS',
  CHECKBOX: 'CHECKBOX',
  CURRENCY: 'CURRENCY',
  DATE: 'DATE',
  DROPDOWN: 'DROPDOWN',
  EMAIL: 'EMAIL',
  ENUMERATOR: 'ENUMERATOR',
  FILEUPLOAD: 'FILE_UPLOAD',
  ID: 'ID',
  MAP: 'MAP',
  NAME: 'NAME',
  NUMBER: 'NUMBER',
  PHONE: 'PHONE',
  RADIO_BUTTON: 'RADIO',
  REPEATER: 'ENUMERATOR',
  STATIC: 'STATIC',
  TEXT: 'TEXT',
  YES_NO: 'RADIO',
}
