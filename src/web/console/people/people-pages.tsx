// The pages of the people of the console.

/** @jsxImportSource preact */

import type { ListedAdminToken } from '../../../core/people/admin-tokens.ts'
import { type Role, roleNames, roles } from '../../../core/people/roles.ts'
import type { IdentityRow } from '../../../db/people/identity-rows.ts'
import type { PersonRow } from '../../../db/people/person-rows.ts'
import { Badge, DoneNotice, Facts, InParts, LinkButton, Named, Table, When } from '../../html/components.tsx'
import { ActionForm, Choices, ErrorSummary, Submit, TextField } from '../../html/fields.tsx'
import { type NamedProgram, ProgramBadge, ProgramChoices, programNames, SearchForm } from '../../html/lists.tsx'
import { usePage } from '../../html/page-context.ts'
import { Shell } from '../../html/shell.tsx'
import type { Ways } from '../signing-in/sign-in-steps.ts'
import { TokenTable } from '../tokens/token-pages.tsx'

const roleHints: Readonly<Record<Role, string>> = {
  ADMINISTRATOR: 'Everything: programs, keys, people.',
  PROGRAM_ADMINISTRATOR: 'Applications, status and notes of the programs chosen below.',
  AUDITOR: 'Reads everything but answers, and changes nothing.',
}

interface PeopleProps {
  people: readonly PersonRow[]
  programs: readonly NamedProgram[]
}

export function PeoplePage({ people, programs: all }: PeopleProps) {
  const { person, query } = usePage()
  const sought = (query.get('q') ?? '').trim().toLowerCase()
  const shown = people.filter(({ name, email, role, programs }) =>
    [name, email, roleNames[role], ...programs, ...programNames(programs, all)].some(text =>
      text.toLowerCase().includes(sought),
    ),
  )
  const mayInvite = person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title="People"
      part="people"
      lead="Who works in this console. People are invited and disabled, never removed: what they did stays theirs."
      actions={mayInvite && <LinkButton main href="/admin/people/invite" icon="plus" text="Invite a person" />}
    >
      <SearchForm path="/admin/people" label="Search people" hint="Name, e-mail, role or program" />
      <Table
        caption="People"
        rows={shown}
        empty="No person here matches. Try another word."
        columns={[
          {
            head: 'Name',
            cell: ({ person_id, name, email }) => (
              <Named href={pathOf({ person_id })} name={name} small={<InParts>{email}</InParts>} />
            ),
          },
          { head: 'Role', cell: one => roleNames[one.role] },
          {
            head: 'Programs',
            cell: one =>
              one.role === 'PROGRAM_ADMINISTRATOR' ? (
                one.programs.map(slug => <ProgramBadge slug={slug} among={all} />)
              ) : (
                <Badge>all</Badge>
              ),
          },
          { head: 'State', cell: one => <State person={one} /> },
          {
            head: 'Last signed in',
            cell: one => (one.last_signed_in_at === null ? 'never' : <When at={one.last_signed_in_at} />),
          },
        ]}
      />
    </Shell>
  )
}

function State({ person }: { person: PersonRow }) {
  if (person.disabled_at !== null) return <Badge tone="bad">disabled</Badge>
  if (person.has_password || person.last_signed_in_at !== null) return <Badge tone="good">active</Badge>
  return <Badge tone="attention">invited</Badge>
}

export function RoleFields({ programs, person }: { programs: readonly NamedProgram[]; person?: PersonRow }) {
  return (
    <>
      <Choices
        name="role"
        legend="Role"
        choices={roles.map(role => ({ value: role, text: roleNames[role], hint: roleHints[role] }))}
        chosen={person === undefined ? [] : [person.role]}
      />
      <ProgramChoices
        legend="Programs of a program administrator"
        programs={programs}
        chosen={person?.programs ?? []}
      />
    </>
  )
}

export const crumb = { text: 'People', path: '/admin/people' }

const doneTexts: Readonly<Record<string, string>> = {
  saved: 'Saved. It holds from the next page this person opens.',
  disabled: 'Disabled. Every sign-in of this person has ended, every token and the link to choose a password.',
  enabled: 'Enabled. This person signs in as before.',
  unlinked:
    'Unlinked. Every sign-in and token of this person has ended; the next one from there with this e-mail is linked again.',
  'factor-reset': 'The second factor is taken away, and every sign-in of this person has ended.',
  'token-retired': 'The token is retired. It ends with its next request.',
}

interface PersonProps {
  person: PersonRow & { identities: readonly IdentityRow[] }
  programs: readonly NamedProgram[]
  tokens: readonly ListedAdminToken[]
  ways: Ways
}

const pathOf = ({ person_id }: { person_id: number }): string => `/admin/people/${person_id}`

export function PersonPage({ person, programs, tokens, ways }: PersonProps) {
  const { person: me } = usePage()
  const path = pathOf(person)
  const mayChange = me?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title={`${person.name} · People`}
      heading={person.name}
      part="people"
      crumbs={[crumb, { text: person.name }]}
      lead={person.email}
    >
      <DoneNotice texts={doneTexts} />
      <ErrorSummary />
      <div class="columns">
        <ProfileCard person={person} programs={programs} />
        <SigningIn person={person} ways={ways} />
      </div>
      {tokens.length > 0 && (
        <>
          <h2>API tokens</h2>
          <TokenTable
            tokens={tokens}
            retireAt={mayChange ? tokenId => `${path}/tokens/${tokenId}/retire` : undefined}
            empty=""
          />
        </>
      )}
    </Shell>
  )
}

function ProfileCard({ person, programs }: Pick<PersonProps, 'person' | 'programs'>) {
  return (
    <div class="card">
      {usePage().person?.role === 'ADMINISTRATOR' ? (
        <ActionForm action={pathOf(person)}>
          <TextField name="name" label="Name" value={person.name} maxLength={200} />
          <RoleFields programs={programs} person={person} />
          <Submit text="Save" />
        </ActionForm>
      ) : (
        <>
          <h2>{roleNames[person.role]}</h2>
          <p class="soft">{roleHints[person.role]}</p>
          {person.programs.length > 0 && (
            <Facts facts={[['Programs', programNames(person.programs, programs).join(', ')]]} />
          )}
        </>
      )}
    </div>
  )
}

function SigningIn({ person, ways }: Pick<PersonProps, 'person' | 'ways'>) {
  const path = pathOf(person)
  const mayChange = usePage().person?.role === 'ADMINISTRATOR'
  return (
    <div class="card">
      <h2>Signing in</h2>
      <p>
        <State person={person} />{' '}
        {person.last_signed_in_at === null ? (
          'Has never signed in.'
        ) : (
          <>
            Last signed in <When at={person.last_signed_in_at} />.
          </>
        )}
      </p>
      {person.identities.map(identity => (
        <Identity {...identity} email={person.email} unlinkAt={mayChange ? `${path}/unlink` : undefined} />
      ))}
      {person.has_second_factor && <p>Signs in with a second factor.</p>}
      {mayChange && person.has_second_factor && (
        <ActionForm action={`${path}/reset-second-factor`}>
          <p>
            Who has lost the phone and the recovery codes signs in with the password alone once this is taken away. Make
            sure that it is this person who asks.
          </p>
          <Submit look="danger" text="Take the second factor away" />
        </ActionForm>
      )}
      {mayChange && person.disabled_at === null && (
        <>
          {ways.password && (
            <ActionForm action={`${path}/link`}>
              <p>
                A new link lets this person choose another password. Links made before stop working. When the password
                is chosen, every sign-in and every token of this person ends.
              </p>
              <Submit look="plain" text="Create a new link" />
            </ActionForm>
          )}
          <ActionForm action={`${path}/disable`}>
            <p>
              Disabling ends every sign-in, every token and the link of this person immediately and allows no other.
              Enabling lets this person sign in again; what has ended stays so.
            </p>
            <Submit look="danger" text={`Disable ${person.name}`} />
          </ActionForm>
        </>
      )}
      {mayChange && person.disabled_at !== null && (
        <ActionForm action={`${path}/enable`}>
          <p>Enabling lets this person sign in again, as before. Tokens and links have to be created again.</p>
          <Submit look="plain" text={`Enable ${person.name}`} />
        </ActionForm>
      )}
    </div>
  )
}

function Identity(props: IdentityRow & { email: string; unlinkAt: string | undefined }) {
  const { issuer, subject, created_at, email, unlinkAt } = props
  return (
    <div>
      <p>
        Known at <code>{issuer}</code> as <code>{subject}</code>, since <When at={created_at} day />.
      </p>
      {unlinkAt !== undefined && (
        <ActionForm action={unlinkAt}>
          <input type="hidden" name="issuer" value={issuer} />
          <p>
            Unlinking forgets that, and ends every sign-in and token of this person. The next to come from there with
            the verified e-mail {email} is this person. Do it when their account there was replaced.
          </p>
          <Submit look="danger" text={`Unlink ${issuer}`} />
        </ActionForm>
      )}
    </div>
  )
}
