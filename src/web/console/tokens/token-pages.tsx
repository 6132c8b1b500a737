// Pages about a person's API tokens.

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

const doneTexts = { retired: 'Token retired. It no longer works.' }

export function TokensPage({ tokens }: { tokens: readonly ListedAdminToken[] }) {
  return (
    <Shell
      title="API tokens"
      part={undefined}
      crumbs={[crumbs[0]!, { text: 'API tokens' }]}
      lead="Tokens let scripts and other systems use the API with your permissions."
      actions={<LinkButton main href={`${path}/new`} icon="plus" text="Create token" />}
    >
      <DoneNotice texts={doneTexts} />
      <TokenTable
        tokens={tokens}
        retireAt={tokenId => `${path}/${tokenId}/retire`}
        empty="No tokens yet. Create one for each script or system that uses the API."
      />
      <p class="soft">
        The <a href="/docs/api#administration">API reference</a> describes all requests.
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

/** A person's tokens. Without `retireAt` they can only be viewed. */
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
          cell: ({ name, admin_token_id: id }) => <Named name={name} small={<code>{id}</code>} />,
        },
        { head: 'Scopes', cell: token => token.scopes.map(scope => <Badge>{scope}</Badge>) },
        { head: 'Status', cell: token => <State state={token.state} /> },
        {
          head: 'Expires',
          cell: token =>
            token.retired_at === null ? (
              <>
                <When at={token.expires_at} until />
                {token.state === 'good' && <small>{distance(token.expires_at, now)}</small>}
              </>
            ) : (
              <>
                retired <When at={token.retired_at} day />
              </>
            ),
        },
        {
          head: 'Last used',
          cell: token => <LastUse at={token.last_used_at} address={token.last_used_address} />,
        },
        {
          head: 'Retire',
          cell: token =>
            token.state === 'good' && retireAt !== undefined ? (
              <ActionForm action={retireAt(token.admin_token_id)}>
                <Submit look="danger" text="Retire" unseen={` ${token.name}`} />
              </ActionForm>
            ) : null,
        },
      ]}
    />
  )
}

/** Scopes that need further scopes for some requests. */
const reachText: Partial<Record<Scope, string>> = {
  'keys:write':
    ' Keys that export also need applications:read; keys that submit or set statuses also need applications:write.',
  'people:write':
    ' A token can disable administrators but not create or change them. For other people it also needs the scopes of their role.',
  'settings:write': ' Setting a retention period also needs applications:erase.',
}

const scopeHint = (scope: Scope): string => `${scopeLabel(scope)}.${reachText[scope] ?? ''}`

export const NewTokenPage = () => (
  <FormPage
    title="Create an API token"
    part={undefined}
    crumbs={[...crumbs, { text: 'Create' }]}
    lead="The token acts on your behalf, and the audit log records its actions under your name. It stops working when it expires, is retired, or your account is disabled."
    path={`${path}/new`}
    submit="Create token"
  >
    <TextField
      name="name"
      label="Name"
      hint="The purpose of the token, such as “Nightly key report”."
      maxLength={100}
    />
    <ExpiryFields />
    <Choices
      name="scopes"
      legend="Scopes"
      hint="Select only what the token needs. Your role limits it further."
      many
      chosen={[]}
      choices={scopes.map(scope => ({ value: scope, text: scope, hint: scopeHint(scope) }))}
    />
  </FormPage>
)

/** `token` is undefined if it has been shown already. */
export function IssuedTokenPage({ token }: { token: string | undefined }) {
  const { baseUrl } = usePage()
  if (token === undefined) {
    return (
      <Shell
        title="Token already shown"
        part={undefined}
        crumbs={[...crumbs, { text: 'Created' }]}
        lead="Tokens are shown only once and are not stored."
      >
        <p>
          If you didn’t copy it, retire it and <a href={`${path}/new`}>create a new one</a>.
        </p>
      </Shell>
    )
  }
  return (
    <Shell
      title="Your new API token"
      part={undefined}
      styles={['/assets/docs.css']}
      crumbs={[...crumbs, { text: 'Created' }]}
    >
      <Notice name="shown-once" tone="attention">
        <strong>The token is shown only this once.</strong> Copy it to your secret store before you leave this page.
      </Notice>
      <div class="card">
        <Secret id="token" label="Token" value={token} />
        <p class="soft">
          Send it in a header: <code>Authorization: Bearer …</code>
        </p>
      </div>
      <CodeTabs
        name="samples"
        tabs={[
          {
            id: 'sample-curl',
            title: 'curl',
            about: 'Returns the token’s owner and scopes.',
            code: `curl -H 'Authorization: Bearer ${token}' \\\n  '${baseUrl}/admin/api/v1/session'`,
          },
        ]}
      />
      <p>
        <LinkButton main href={path} text="I’ve saved it" />
      </p>
    </Shell>
  )
}
