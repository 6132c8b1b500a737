// Turns CiviForm's stored programs into what an export needs: for each version, the tree of its questions with CiviForm's keys. Pure.
// Anything that doesn't fit is left out and reported, and never stops the copy.

import type { SourceProgram, SourceQuestion } from '../db/source-catalogue.ts'
import { type CatalogueVersion, type Finding, versionOf } from '../definitions/catalogue-version.ts'

/** All versions of one program, oldest publication first and the draft last. */
export interface ProgramFamily {
  name: string
  slug: string
  versions: CatalogueVersion[]
}

export interface Catalogue {
  families: ProgramFamily[]
  findings: Finding[]
}

/**
 * The families of these rows. `appliedTo` are rows that are in no version but have applications: CiviForm's own export fails for them; here they are
 * versions like any other.
 */
export function programFamilies(
  programs: readonly SourceProgram[],
  questions: readonly SourceQuestion[],
  appliedTo: ReadonlySet<number>,
): Catalogue {
  const findings: Finding[] = []
  const byId = new Map(questions.map(question => [question.id, question]))
  const rowsByName = new Map<string, SourceProgram[]>()
  for (const program of programs) {
    if (stateOf(program, appliedTo) === undefined) continue
    const rows = rowsByName.get(program.name) ?? []
    rows.push(program)
    rowsByName.set(program.name, rows)
  }
  const strange = new Set(programs.flatMap(program => program.stages.filter(stage => !knownStages.has(stage))))
  for (const stage of strange)
    findings.push({
      kind: 'version_stage',
      subject: stage,
      detail: 'is an unknown lifecycle stage of a version; versions with it are left out',
    })
  for (const [name, rows] of rowsByName)
    if (rows.some(row => row.uses_scoring))
      findings.push({ kind: 'scores', subject: name, detail: 'scores its answers; scores are not exported' })
  const taken = new Set<string>()
  const families = [...rowsByName].map(([name, rows]) => {
    const ordered = rows.sort((a, b) => rank(a, appliedTo) - rank(b, appliedTo) || order(a, b))
    return {
      name,
      slug: claimSlug(name, slugOf(ordered), taken, findings),
      versions: ordered.map(row => versionOf(row, stateOf(row, appliedTo)!, byId, findings)),
    }
  })
  return { families, findings }
}

/** The stages of versions. Those with the last one were withdrawn before anyone could apply. */
const knownStages = new Set(['active', 'draft', 'obsolete', 'deleted'])

/** A row in no version counts only if something was submitted to it. */
function stateOf(program: SourceProgram, appliedTo: ReadonlySet<number>): CatalogueVersion['state'] | undefined {
  if (program.stages.includes('active')) return 'ACTIVE'
  if (program.stages.includes('obsolete') || appliedTo.has(program.id)) return 'OBSOLETE'
  return program.stages.includes('draft') ? 'DRAFT' : undefined
}

const rank = (program: SourceProgram, appliedTo: ReadonlySet<number>): number =>
  ['OBSOLETE', 'ACTIVE', 'DRAFT'].indexOf(stateOf(program, appliedTo)!)

const order = (a: SourceProgram, b: SourceProgram): number =>
  (a.published_at ?? 0) - (b.published_at ?? 0) || a.id - b.id

/** The newest version's: the active one, if there is one. */
function slugOf(ordered: readonly SourceProgram[]): string {
  const newest = ordered.findLast(row => row.stages.includes('active')) ?? ordered.at(-1)!
  return newest.slug || slugify(newest.name)
}

const slugify = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

function claimSlug(name: string, wanted: string, taken: Set<string>, findings: Finding[]): string {
  const usable = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(wanted) && wanted.length <= 100 ? wanted : slugify(wanted).slice(0, 90)
  const base = usable === '' ? 'program' : usable.replace(/-+$/, '')
  let slug = base
  for (let i = 2; taken.has(slug); i++) slug = `${base}-${i}`
  taken.add(slug)
  if (slug !== wanted)
    findings.push({
      kind: 'program_slug',
      subject: name,
      detail: `has the slug "${wanted}" in CiviForm, which is taken or cannot be part of a URL; here it is "${slug}"`,
    })
  return slug
}
