// The pages of a person's API tokens.

/** @jsxImportSource preact */

import {
  type AdminTokenState,
  type ListedAdminToken,
  type Scope,
  scopeLabel,
  scopes,
} from '../../../core/people/admin-tokens.ts'
import {
  Badge,
  DoneNotice,
  distance,
  LastUse,
  LinkButton,
  Named,
  Notice,
  Table,
  type Tone,
  When,
} from '../../html/components.tsx'
import { ActionForm, Choices, Submit, TextField } from '../../html/fields.tsx'
import { FormPage } from '../../html/form-page.tsx'
import { usePage } from '../../html/page-context.ts'
import { CodeTabs, Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { ExpiryFields } from '../requests/expiry-fields.tsx'

const path = '/admin/account/tokens'
const crumbs = [
  { text: 'Your account', path: '/admin/account' },
  { text: 'API tokens', path },
]

const doneTexts = { retired: 'Retired. It ends with its next request.' }

export function TokensPage({ tokens }: { tokens: readonly ListedAdminToken[] }) {
  return (
    <Shell
      title="API tokens"
      part={undefined}
      crumbs={[crumbs[0]!, { text: 'API tokens' }]}
      lead="With a token, a script or another system does through the API what you may do here, and never more."
      actions={<LinkButton main href={`${path}/new`} icon="plus" text="Create a token" />}
    >
      <DoneNotice texts={doneTexts} />
      <TokenTable
        tokens={tokens}
        retireAt={tokenId => `${path}/${tokenId}/retire`}
        empty="You have no token. Create one for a script or a system that works here in your name."
      />
      <p class="soft">
        What can be done is in the <a href="/docs/api#administration">documentation of the API</a>, under
        Administration.
      </p>
    </Shell>
  )
}

const states: Readonly<Record<AdminTokenState, readonly [tone: Tone, text: string]>> = {
  good: ['good', 'active'],
  expired: ['bad', 'expired'],
  retired: ['bad', 'retired'],
}
const State = ({ state }: { state: AdminTokenState }) => <Badge tone={states[state][0]}>{states[state][1]}</Badge>

/** Tokens of one person; `retireAt` is left out for those who may only look. */
export function TokenTable(props: {
  tokens: readonly ListedAdminToken[]
  retireAt: ((tokenId: string) => string) | undefined
  empty: string
}) {
  const { now } = usePage()
  const { retireAt } = props
  return (
    <Table
      caption="API tokens"
      rows={props.tokens}
      empty={props.empty}
      columns={[
        {
          head: 'Name',
          cell: one => <Named name={one.name} small={<code>{one.admin_token_id}</code>} />,
        },
        { head: 'Good for', cell: one => one.scopes.map(scope => <Badge>{scope}</Badge>) },
        { head: 'State', cell: one => <State state={one.state} /> },
        {
          head: 'Expires',
          cell: one =>
            one.retired_at === null ? (
              <>
                <When at={one.expires_at} until />
                {one.state === 'good' && <small>{distance(one.expires_at, now)}</small>}
              </>
            ) : (
              <>
                retired <When at={one.retired_at} day />
              </>
            ),
        },
        {
          head: 'Last used',
          cell: one => <LastUse at={one.last_used_at} address={one.last_used_address} />,
        },
        {
          head: 'Retire',
          cell: one =>
            one.state === 'good' && retireAt !== undefined ? (
              <ActionForm action={retireAt(one.admin_token_id)}>
                <Submit look="danger" text="Retire" unseen={` ${one.name}`} />
              </ActionForm>
            ) : null,
        },
      ]}
    />
  )
}

/** Where a scope alone would reach further through what is made with it. */
const reachText: Partial<Record<Scope, string>> = {
  'keys:write':
    ' To make, edit or rotate a key that exports it needs applications:read too, and applications:write for one that submits or sets statuses.',
  'people:write':
    ' No administrator is made or changed with a token, only disabled; other people only by one that may do all that they may.',
  'settings:write': ' To have applications erased after a number of days it needs applications:erase too.',
}

const scopeHint = (scope: Scope): string => `${scopeLabel(scope)}.${reachText[scope] ?? ''}`

export const NewTokenPage = () => (
  <FormPage
    title="Create an API token"
    part={undefined}
    crumbs={[...crumbs, { text: 'Create' }]}
    lead="It acts in your name: what is done with it is in the audit log as yours. It ends when it expires, is retired, or you are disabled."
    path={`${path}/new`}
    submit="Create the token"
  >
    <TextField name="name" label="Name" hint="What it is for, such as nightly key report." maxLength={100} />
    <ExpiryFields />
    <Choices
      name="scopes"
      legend="What it may do"
      hint="As little as the program needs. Your role limits it further."
      many
      chosen={[]}
      choices={scopes.map(scope => ({ value: scope, text: scope, hint: scopeHint(scope) }))}
    />
  </FormPage>
)

/** `token` is undefined when it was shown before. */
export function IssuedTokenPage({ token }: { token: string | undefined }) {
  const { baseUrl } = usePage()
  if (token === undefined) {
    return (
      <Shell
        title="The token is gone"
        part={undefined}
        crumbs={[...crumbs, { text: 'Created' }]}
        lead="It was shown once, and is kept nowhere."
      >
        <p>
          If it was not copied, retire it and <a href={`${path}/new`}>make another</a>.
        </p>
      </Shell>
    )
  }
  return (
    <Shell
      title="The token is ready"
      part={undefined}
      styles={['/assets/docs.css']}
      crumbs={[...crumbs, { text: 'Created' }]}
    >
      <Notice name="shown-once" tone="attention">
        <strong>This is the only time the token is shown.</strong> Copy it to where your program keeps secrets before
        you leave this page.
      </Notice>
      <div class="card">
        <Secret id="token" label="Token" value={token} />
        <p class="soft">
          It is sent in a header: <code>Authorization: Bearer …</code>
        </p>
      </div>
      <CodeTabs
        name="samples"
        tabs={[
          {
            id: 'sample-curl',
            title: 'curl',
            about: 'Whose token it is, and what it may do.',
            code: `curl -H 'Authorization: Bearer ${token}' \\\n  '${baseUrl}/admin/api/v1/session'`,
          },
        ]}
      />
      <p>
        <LinkButton main href={path} text="Done, hide it for good" />
      </p>
    </Shell>
  )
}
