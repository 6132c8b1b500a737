// Programs as people know them, by name: shown, or to be chosen from.

/** @jsxImportSource preact */

import { Choices } from './fields.tsx'

export interface NamedProgram {
  slug: string
  display_name: string
}

/** The name of each, in this order; the slug of one that is not among them. */
export const programNames = (slugs: readonly string[], among: readonly NamedProgram[]): string[] =>
  slugs.map(slug => among.find(one => one.slug === slug)?.display_name ?? slug)

/** A program that something is for, by name. */
export const ProgramBadge = ({ slug, among }: { slug: string; among: readonly NamedProgram[] }) => (
  <span class="badge" title={slug} dir="auto">
    {programNames([slug], among)}
  </span>
)

/** Programs by name: wherever some of them are chosen. */
export const ProgramChoices = (props: {
  /** `programs` unless given. */
  name?: string
  programs: readonly NamedProgram[]
  chosen: readonly string[]
  legend?: string
  hint?: string
}) => (
  <Choices
    name={props.name ?? 'programs'}
    legend={props.legend ?? 'Programs'}
    choices={props.programs.map(({ slug, display_name }) => ({ value: slug, text: display_name, hint: slug }))}
    chosen={props.chosen}
    many
    long={props.programs.length > 8}
    all={`All ${props.programs.length} programs`}
    hint={props.programs.length === 0 ? 'There is no program yet.' : props.hint}
  />
)
