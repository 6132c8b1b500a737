// Programs, their versions and drafts, and the question bank as JSON.

import { Type } from 'typebox'
import {
  findBankEntry,
  readBankPage,
  readProgramOverviews,
  readPublishedVersionIds,
} from '../../../db/program-overviews.ts'
import { loadProgramVersion } from '../../../db/programs.ts'
import { exportEffects } from '../../../domain/definitions/export-effects.ts'
import { describeForEditing, describeVersion } from '../../../domain/definitions/version-definition.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import { compareWithPublished } from '../../../programs/compare.ts'
import { publishDraft } from '../../../programs/publish.ts'
import { discardDraft, saveDraft } from '../../../programs/save-draft.ts'
import type { Deps } from '../../deps.ts'
import { everyRole } from '../../shell/navigation.ts'
import { idIn, idOf, pageOf, textOf } from '../addressed.ts'
import { documentBytesMax, otherSlug } from '../programs/document-doors.ts'
import { editOptions } from '../programs/edit-refusals.tsx'
import {
  changesOf,
  findVersionOf,
  findVisibleProgram,
  isOvertaken,
  loadHistory,
  loadProgramInView,
  type VersionFacts,
} from '../programs/program-in-view.ts'
import {
  differenceAnswer,
  documentAnswer,
  draftAnswer,
  listedVersionAnswer,
  nothing,
  overviewAnswer,
  pageAfter,
  pageBefore,
  publicationAnswer,
  questionAnswer,
  versionDocumentAnswer,
} from './answer-forms.ts'
import { type ApiDeed, type ApiVisit, deed, reads, writes } from './api-deeds.ts'
import { closed, id, texts } from './schemas.ts'

const rowsMax = 50

const paging = { q: 'A word to look for.', after: '`next` of the page before.' }
const definition = Type.Unsafe<unknown>({
  type: 'object',
  description:
    'The definition of a program, as GET answers it. Its `based_on` is the version it was made from: if something newer was saved or published, nothing is changed (409). `scripts/program schema` writes its JSON Schema.',
})
const publication = Type.Object(
  {
    based_on: id('The id of the draft that was reviewed: another is not published (409).'),
    move: Type.Optional(texts('Slugs of the other programs that may get a new version because they ask what changes.')),
  },
  closed,
)

export function programDeeds({ consoleDb: db, config }: Deps): ApiDeed[] {
  const program = ({ person, params }: ApiVisit) => findVisibleProgram(db, person, params.slug!)
  const view = ({ person, params }: ApiVisit) => loadProgramInView(db, person, params.slug!)
  const one = '/programs/:slug'
  const read = reads('programs')
  const write = writes('programs')

  return [
    deed({
      name: 'listPrograms',
      method: 'GET',
      path: '/programs',
      summary: 'List programs',
      answers: 'Programs by slug, with their versions and counts, 50 a page.',
      answered: pageAfter(overviewAnswer),
      roles: everyRole,
      scope: 'programs:read',
      query: paging,
      answer: async visit => {
        const among = visit.person.programIds === 'all' ? 'all' : [...visit.person.programIds]
        const page = { among, search: textOf(visit, 'q'), after: textOf(visit, 'after'), rowsMax: rowsMax + 1 } as const
        return pageOf(await readProgramOverviews(db, page), rowsMax, ({ slug }) => slug)
      },
    }),
    deed({
      name: 'readProgramOverview',
      method: 'GET',
      path: one,
      summary: 'Read what a program is',
      answers: 'The program with its versions and counts.',
      answered: overviewAnswer,
      roles: everyRole,
      scope: 'programs:read',
      answer: program,
    }),
    deed({
      name: 'listProgramVersions',
      method: 'GET',
      path: `${one}/versions`,
      summary: 'List the published versions of a program',
      answers:
        'Versions, newest first, 10 a page, with the first 20 changes of each and how many more there are. The version itself has all.',
      answered: pageBefore(listedVersionAnswer),
      ...read,
      query: { before: '`next` of the page before.' },
      answer: async visit => {
        const before = idOf(textOf(visit, 'before')) ?? Number.MAX_SAFE_INTEGER
        const { items, next } = await loadHistory(db, await program(visit), before)
        return { items: items.map(({ version, ...changed }) => ({ ...factsOf(version), ...changed })), next }
      },
    }),
    deed({
      name: 'readProgramVersion',
      method: 'GET',
      path: `${one}/versions/:versionId`,
      summary: 'Read one version of a program',
      answers: 'The version as a document, and what it changed against the one before.',
      answered: versionDocumentAnswer,
      ...read,
      answer: async visit => {
        const found = await findVersionOf(db, await program(visit), visit.params.versionId!)
        const before = { before: found.program_version_id, rowsMax: 1 }
        const [previous] = await readPublishedVersionIds(db, found.program_id, before)
        const changes = changesOf(previous === undefined ? undefined : await loadProgramVersion(db, previous), found)
        return { ...factsOf(found), changes, document: describeForEditing(found) }
      },
    }),
    deed({
      name: 'readDraft',
      method: 'GET',
      path: `${one}/draft`,
      summary: 'Read what an edit of a program begins with',
      answers: 'The draft as a document; where there is none, the active version as one.',
      answered: documentAnswer,
      ...read,
      answer: async visit => describeForEditing((await view(visit)).current),
    }),
    deed({
      name: 'saveDraft',
      method: 'PUT',
      path: `${one}/draft`,
      summary: 'Save a definition as the draft',
      description: 'Begins the program if there is none of this slug.',
      answers:
        'The draft with what it changes; `saved` is false when this was the draft, or what is published, already.',
      answered: draftAnswer,
      ...write,
      body: definition,
      bodyBytesMax: documentBytesMax,
      answer: async (visit, document) => {
        const other = otherSlug(document, visit.params.slug!)
        if (other !== undefined) throw invalidRequest('The definition is of another program.', [other])
        return saveDraft(db, document, visit.deed.actor, editOptions(visit, config))
      },
    }),
    deed({
      name: 'discardDraft',
      method: 'DELETE',
      path: `${one}/draft`,
      summary: 'Discard the draft',
      answers: 'Nothing: the draft is gone.',
      answered: nothing,
      ...write,
      query: { based_on: 'The id of the draft that is meant: another is not discarded (409). Required.' },
      answer: async visit => {
        const reviewed = idOf(textOf(visit, 'based_on'))
        if (reviewed === undefined)
          throw invalidRequest('Which draft is meant is not said.', [
            { parameter: 'based_on', code: 'required', detail: 'Must be the id of the draft.' },
          ])
        const { slug } = await program(visit)
        await discardDraft(db, slug, visit.deed.actor, { reviewed, address: visit.address })
      },
    }),
    deed({
      name: 'compareDraft',
      method: 'GET',
      path: `${one}/difference`,
      summary: 'See what publishing the draft would do',
      answers: 'What it changes, what that means for those who pull, and which other active programs move along.',
      answered: differenceAnswer,
      ...read,
      answer: async visit => {
        const seen = await view(visit)
        const { active, draft, changes } = seen
        if (draft === undefined) throw new Problem('not_found', { detail: 'There is no draft of this program.' })
        const { moves } = isOvertaken(seen)
          ? { moves: [] }
          : await compareWithPublished(db, describeVersion(draft), config)
        return {
          draft: draft.program_version_id,
          active: active?.program_version_id ?? null,
          outdated: isOvertaken(seen),
          changes,
          effects: active === undefined ? [] : exportEffects(changes),
          moves,
        }
      },
    }),
    deed({
      name: 'publishDraft',
      method: 'POST',
      path: `${one}/publish`,
      summary: 'Publish the draft',
      answers: 'The version that is active now, what it changed, and the other programs that were published along.',
      answered: publicationAnswer,
      ...write,
      body: publication,
      answer: async (visit, { based_on, move = [] }) => {
        const { slug } = await program(visit)
        const options = { ...editOptions(visit, config), reviewed: based_on, move }
        return publishDraft(db, slug, visit.deed.actor, options)
      },
    }),
    deed({
      name: 'listQuestions',
      method: 'GET',
      path: '/questions',
      summary: 'List the question bank',
      answers: 'Questions by admin name, with where each is asked, 50 a page.',
      answered: pageAfter(questionAnswer),
      ...read,
      query: paging,
      answer: async visit => {
        const page = { search: textOf(visit, 'q'), after: textOf(visit, 'after'), rowsMax: rowsMax + 1 }
        return pageOf(await readBankPage(db, page), rowsMax, ({ admin_name }) => admin_name)
      },
    }),
    deed({
      name: 'readQuestion',
      method: 'GET',
      path: '/questions/:questionId',
      summary: 'Read a question of the bank',
      answers: 'The question, and where it is asked.',
      answered: questionAnswer,
      ...read,
      answer: async visit => {
        const found = await findBankEntry(db, idIn(visit, 'questionId'))
        if (found === undefined) throw new Problem('not_found', { detail: 'There is no such question.' })
        return found
      },
    }),
  ]
}

/** A version without its content. */
const factsOf = (version: VersionFacts) => {
  const { program_version_id, state, based_on, created_at, created_by, published_at, published_by } = version
  return { program_version_id, state, based_on, created_at, created_by, published_at, published_by }
}
