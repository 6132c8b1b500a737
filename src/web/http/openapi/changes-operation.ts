// OpenAPI description of the change feed.

import { changesMax } from '../../../core/export/changes/changes-request.ts'
import { changesFormats, describeFeed } from '../../../core/export/changes/feed-framings.ts'
import { changeCursorPattern } from '../../../core/export/requests/change-cursor.ts'
import { byKey, headerParameter, json, listOf, object } from './described-parts.ts'
import {
  applied,
  formatsBesideJson,
  keyErrors,
  notAcceptable,
  problemResponse,
  requestId,
} from './export-operations.ts'
import { fieldsParameter, formatParameter, programSlugParameter, questionsParameter } from './export-parameters.ts'

const change = {
  type: 'object',
  description: 'A change to one application.',
  properties: {
    change: {
      type: 'integer',
      description: 'Change number. Numbers ascend, with gaps; changes made by one action share a number.',
    },
    kind: {
      type: 'string',
      examples: ['submitted', 'superseded', 'status', 'note', 'erased'],
      description: 'Kind of change. Ignore unknown kinds: later releases may add more.',
    },
    application_id: { type: 'integer' },
    time: { type: ['string', 'null'], format: 'date-time', description: 'Time of the change; null if unknown.' },
    superseded_by: {
      type: ['integer', 'null'],
      description: 'For `superseded`: ID of the applicant’s newer application; null if unknown.',
    },
    status: { type: ['string', 'null'], description: 'For `status`: the new status.' },
    application_note: { type: ['string', 'null'], description: 'For `note`: the new note.' },
    application: {
      type: 'object',
      description:
        'For `submitted`, `status` and `note`, with include=application: the application as an export starting now would return it. It can be newer ' +
        'than the change; a later change then repeats it.',
    },
  },
  required: ['change', 'kind', 'application_id', 'time'],
}

const ofPage = {
  nextCursor: {
    type: 'string',
    description: 'Pass it as `after` in the next request. If hasMore is true, send that request immediately.',
  },
  hasMore: { type: 'boolean', description: 'True if more changes were available.' },
  snapshotTime: {
    type: 'string',
    format: 'date-time',
    description: 'Snapshot-Time of an export that starts at this point.',
  },
  changeCursor: {
    type: 'string',
    description: 'Change-Cursor of an export that starts at this point: the end of the feed so far.',
  },
  questionsAsOf: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'Questions-As-Of of an export that starts at this point; null before the first publication. When it changes, every application gains ' +
      'unanswered entries for new questions. The feed does not report these.',
  },
}

/** A client that keeps one cursor gets each change once, in order. Source: contract G13 and G1. */
export const changesOperation = {
  operationId: 'exportChanges',
  summary: 'List changes to a program’s applications since a cursor',
  description:
    'Returns changes in commit order. A client that stores nextCursor and sends it as `after` gets each change exactly once. To continue ' +
    'where an export ended, start with the Change-Cursor of its first page. Erasing an application removes its earlier changes from the feed ' +
    'and adds `erased`. To maintain a copy with include=application: store each application by its ID, set revision_state to OBSOLETE on ' +
    '`superseded`, delete on `erased`, and export again when questionsAsOf differs from the value of your last export.',
  ...byKey('Export'),
  parameters: [
    programSlugParameter,
    {
      name: 'after',
      in: 'query',
      description:
        'The nextCursor of the previous response, or the Change-Cursor of an export. Without it, the feed starts at the beginning. `latest` ' +
        'returns no changes, only a current cursor. Cursors do not expire. A cursor is rejected if the database has lost its change in a ' +
        'failover; a plain change number is rejected only if it is higher than the newest change.',
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
        'Maximum number of changes per page. A page can have a few more if the last changes share a number. Defaults to, and is capped at, ' +
        `the maximum for application pages or ${changesMax}, whichever is lower.`,
      schema: { type: 'integer', minimum: 1 },
    },
    {
      name: 'include',
      in: 'query',
      description: '`application` includes the application in each change except `superseded` and `erased`.',
      schema: { type: 'string', const: 'application' },
    },
    {
      ...fieldsParameter,
      description: `Requires include=application. ${fieldsParameter.description}`,
    },
    {
      ...questionsParameter,
      description: `Requires include=application. ${questionsParameter.description}`,
    },
    formatParameter(changesFormats),
    headerParameter(
      'Prefer',
      '`wait=30` waits up to 30 seconds for a change if there is none yet (RFC 7240). The maximum is 30.',
    ),
  ],
  responses: {
    200: {
      description: 'A page of changes, possibly empty.',
      headers: {
        ...requestId,
        ...applied,
      },
      content: {
        ...json(object({ payload: listOf(change), ...ofPage })),
        ...formatsBesideJson(changesFormats, describeFeed),
      },
    },
    400: problemResponse(
      'A parameter is invalid, or the database has lost the change that the cursor names (cursor_of_another_history).',
    ),
    ...keyErrors,
    406: notAcceptable,
  },
}
