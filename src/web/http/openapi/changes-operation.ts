// OpenAPI of the change feed.

import { changesMax } from '../../../core/export/changes/change-feed.ts'
import { changeCursorPattern } from '../../../core/export/requests/change-cursor.ts'
import { byKey, headerParameter, json, listOf, object } from './described-parts.ts'
import {
  applied,
  fieldsParameter,
  keyRefusals,
  problemAnswer,
  programSlugParameter,
  requestId,
} from './export-operations.ts'

const change = {
  type: 'object',
  description: 'One thing that happened to one application.',
  properties: {
    change: {
      type: 'integer',
      description: 'Its number: ascending, with gaps. Changes that were one action share it.',
    },
    kind: {
      type: 'string',
      examples: ['submitted', 'superseded', 'status', 'note', 'erased'],
      description: 'More kinds may come: pass over those that are not known.',
    },
    application_id: { type: 'integer' },
    time: { type: ['string', 'null'], format: 'date-time', description: 'When; null when that is not known.' },
    superseded_by: {
      type: ['integer', 'null'],
      description:
        'Of `superseded`: the application of the same applicant that took its place; null when it is not known.',
    },
    status: { type: ['string', 'null'], description: 'Of `status`: what it was set to.' },
    application_note: { type: ['string', 'null'], description: 'Of `note`: what it was set to.' },
    application: {
      type: 'object',
      description:
        'With include=application, of `submitted`, `status` and `note`: the application as an export that begins now has it. It may be newer ' +
        'than the change; a later change then repeats it.',
    },
  },
  required: ['change', 'kind', 'application_id', 'time'],
}

const ofPage = {
  nextCursor: { type: 'string', description: 'To be sent as `after`, immediately when there is more.' },
  hasMore: { type: 'boolean', description: 'Whether there were more when this was read.' },
  snapshotTime: {
    type: 'string',
    format: 'date-time',
    description: 'The Snapshot-Time of a walk that began when this was read.',
  },
  changeCursor: { type: 'string', description: 'The Change-Cursor of that walk: after all changes so far.' },
  questionsAsOf: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'The Questions-As-Of of that walk, null before the first publication. When it changes, every application has unanswered forms of ' +
      'questions that it lacked, and no change reports them.',
  },
}

/** Source: contract G13, and G1 in its sense: once each, in order, for a client that keeps one cursor. */
export const changesOperation = {
  operationId: 'exportChanges',
  summary: 'What happened to the applications of one program since a cursor',
  description:
    'Changes come in the order in which they were committed, each exactly once for a client that keeps nextCursor and sends it as ' +
    '`after`. The first page of a walk gives, as Change-Cursor, the place from which the feed continues where the walk ended. An ' +
    'application that was erased leaves `erased` alone. To keep a copy with include=application: put each application where its id is, set ' +
    'revision_state to OBSOLETE on `superseded`, delete on `erased`; and walk again when questionsAsOf is not that of your walk.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    {
      name: 'after',
      in: 'query',
      description:
        'The nextCursor of the answer before, or the Change-Cursor of a walk. Left out: from the beginning. `latest`: no changes, ' +
        'only a cursor of now. A cursor does not expire. It names a change, and is refused where the database has lost that change; a bare ' +
        'number names none, and is refused only while the database has not come that far.',
      schema: {
        anyOf: [
          { type: 'string', const: 'latest' },
          { type: 'string', pattern: changeCursorPattern },
        ],
      },
    },
    {
      name: 'pageSize',
      in: 'query',
      description:
        'Changes in one answer at most; a few more where the last ones share a number. Anything above the maximum means the maximum, ' +
        `which is also the default: that of pages of applications, and never more than ${changesMax}.`,
      schema: { type: 'integer', minimum: 1 },
    },
    {
      name: 'include',
      in: 'query',
      description: '`application`: each change carries its application, but for `superseded` and `erased`.',
      schema: { type: 'string', const: 'application' },
    },
    {
      ...fieldsParameter,
      description: `With include=application. ${fieldsParameter.description}`,
    },
    headerParameter(
      'Prefer',
      '`wait=30`: without changes, wait up to that many seconds for one, at most 30 (RFC 7240).',
    ),
  ],
  responses: {
    200: {
      description: 'Changes, or none.',
      headers: {
        ...requestId,
        ...applied,
      },
      content: {
        ...json(object({ payload: listOf(change), ...ofPage })),
        'application/x-ndjson': {
          schema: {
            type: 'string',
            description:
              'A change a line. The last line has what is next to the payload in JSON, `count`, the number of changes, and `sha256`, the ' +
              'SHA-256 of all bytes before it. A page without it is not whole.',
          },
        },
      },
    },
    400: problemAnswer(
      'A parameter is not valid; or the database was set back to before the cursor (cursor_of_another_history).',
    ),
    ...keyRefusals,
    406: problemAnswer('Neither JSON nor NDJSON matches the Accept header.'),
  },
}
