// Pages about the people of the console: the list, and one person.

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
  ADMINISTRATOR: 'Full access, including programs, keys and people.',
  PROGRAM_ADMINISTRATOR: 'Applications, statuses and notes of the programs selected below.',
  AUDITOR: 'Read access to everything except answers.',
  INTERMEDIARY: 'Applies for the clients of their organization. Has no access to the console.',
}

interface PeopleProps {
  people: readonly PersonRow[]
  programs: readonly NamedProgram[]
}

export function PeoplePage({ people, programs: all }: PeopleProps) {
  const { person, query } = usePage()
  const sought = (query.get('q') ?? '').trim().toLowerCase()
  const shown = people.filter(({ name, email, role, programs, organization }) =>
    [name, email, roleNames[role], organization ?? '', ...programs, ...programNames(programs, all)].some(text =>
      text.toLowerCase().includes(sought),
    ),
  )
  const mayInvite = person?.role === 'ADMINISTRATOR'
  return (
    <Shell
      title="People"
      part="people"
      lead="People who can sign in. They can be disabled but not deleted, so the audit log stays complete."
      actions={mayInvite && <LinkButton main href="/admin/people/invite" icon="plus" text="Invite person" />}
    >
      <SearchForm path="/admin/people" label="Search people" hint="Name, email, role or program" />
      <Table
        caption="People"
        rows={shown}
        empty="No people match. Change the search."
        columns={[
          {
            head: 'Name',
            cell: ({ person_id, name, email }) => (
              <Named href={pathOf({ person_id })} name={name} small={<InParts>{email}</InParts>} />
            ),
          },
          {
            head: 'Role',
            cell: ({ role, organization }) =>
              organization === null ? (
                roleNames[role]
              ) : (
                <>
                  {roleNames[role]}, <bdi>{organization}</bdi>
                </>
              ),
          },
          {
            head: 'Programs',
            cell: ({ role, programs }) =>
              role === 'ADMINISTRATOR' || role === 'AUDITOR' ? (
                <Badge>all</Badge>
              ) : (
                programs.map(slug => <ProgramBadge slug={slug} among={all} />)
              ),
          },
          { head: 'Status', cell: person => <State person={person} /> },
          {
            head: 'Last signed in',
            cell: ({ last_signed_in_at: at }) => (at === null ? 'never' : <When at={at} />),
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
  saved: 'Saved. Takes effect when this person opens their next page.',
  disabled: 'Person disabled. Their sessions, tokens and invitation link no longer work.',
  enabled: 'Person enabled. They can sign in again.',
  unlinked:
    'Account unlinked. This person’s sessions and tokens have ended. The next account with this email address is linked when it signs in.',
  'factor-reset': 'Two-factor authentication reset. This person’s sessions have ended.',
  'token-retired': 'Token retired. It no longer works.',
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
      {person.organization !== null && (
        <p>
          {roleNames[person.role]}, <bdi>{person.organization}</bdi>. {roleHints[person.role]}
        </p>
      )}
      {usePage().person?.role === 'ADMINISTRATOR' ? (
        <ActionForm action={pathOf(person)}>
          <TextField name="name" label="Name" value={person.name} maxLength={200} />
          {person.role === 'INTERMEDIARY' ? (
            <input type="hidden" name="role" value={person.role} />
          ) : (
            <RoleFields programs={programs} person={person} />
          )}
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
      <h2>Sign-in</h2>
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
      {person.has_second_factor && <p>Uses two-factor authentication.</p>}
      {mayChange && person.has_second_factor && (
        <ActionForm action={`${path}/reset-second-factor`}>
          <p>
            If this person has lost their phone and recovery codes, reset two-factor authentication so they can sign in
            with only their password. Verify who is asking first.
          </p>
          <Submit look="danger" text="Reset two-factor authentication" />
        </ActionForm>
      )}
      {mayChange && person.disabled_at === null && (
        <>
          {ways.password && (
            <ActionForm action={`${path}/link`}>
              <p>
                A new link lets this person choose a new password. Earlier links stop working. Choosing a password ends
                their sessions and tokens.
              </p>
              <Submit look="plain" text="Create new link" />
            </ActionForm>
          )}
          <ActionForm action={`${path}/disable`}>
            <p>Disabling immediately ends this person’s sessions, tokens and link. You can enable them again later.</p>
            <Submit look="danger" text={`Disable ${person.name}`} />
          </ActionForm>
        </>
      )}
      {mayChange && person.disabled_at !== null && (
        <ActionForm action={`${path}/enable`}>
          <p>Enabling lets this person sign in again. They need new tokens and links.</p>
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
        Linked to <code>{subject}</code> at <code>{issuer}</code> since <When at={created_at} day />.
      </p>
      {unlinkAt !== undefined && (
        <ActionForm action={unlinkAt}>
          <input type="hidden" name="issuer" value={issuer} />
          <p>
            Unlink if this account was replaced. Unlinking ends this person’s sessions and tokens. The next account with
            the verified email address {email} is linked to them.
          </p>
          <Submit look="danger" text={`Unlink ${issuer}`} />
        </ActionForm>
      )}
    </div>
  )
}
