// The question bank: lists questions and reads one.

/** @jsxImportSource preact */

import { notFound } from '../../../base/problem.ts'
import { findBankEntry, readBankPage } from '../../../db/programs/program-overviews.ts'
import type { Deps } from '../../http/server/deps.ts'
import { action, type Part, reads } from '../requests/action.ts'
import { pageAfter, questionAnswer } from '../requests/answer-schemas.ts'
import { idIn, pageAsked, pageOf } from '../requests/route-parameters.ts'
import { BankPage, BankQuestionPage } from './bank-pages.tsx'

const rowsMax = 50
const read = reads('programs')

export const bankActions = ({ consoleDb: db }: Deps): Part => [
  action({
    name: 'listQuestions',
    route: 'GET /questions',
    summary: 'List the question bank',
    answers: 'Questions by admin name with the programs that use them, 50 per page.',
    answered: pageAfter(questionAnswer),
    ...read,
    query: { q: 'Text to search for.', after: 'The `next` value of the previous page.' },
    run: async request =>
      pageOf(await readBankPage(db, pageAsked(request, rowsMax)), rowsMax, ({ admin_name }) => admin_name),
    page: (_, list) => <BankPage {...list} />,
  }),
  action({
    name: 'readQuestion',
    route: 'GET /questions/:questionId',
    summary: 'Read a question',
    answers: 'The question and the programs that use it.',
    answered: questionAnswer,
    ...read,
    run: async request =>
      (await findBankEntry(db, idIn(request, 'questionId'))) ?? notFound('There is no question with this ID.'),
    page: (_, question) => <BankQuestionPage question={question} />,
  }),
]
