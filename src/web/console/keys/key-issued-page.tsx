// Shows a new key's username, password and API Secret Token, once.

/** @jsxImportSource preact */

import { apiSecretToken } from '../../../core/keys/credential.ts'
import type { ListedApiKey } from '../../../db/keys/listed-keys.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { counted, LinkButton, Notice, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import { CodeTabs, Message, Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { fromWhere, pathOfKey } from './key-labels.tsx'
import { keySamples } from './key-samples.tsx'
import { submitSample } from './submit-sample.tsx'

interface IssuedProps {
  apiKey: ListedApiKey
  /** Undefined if it has been shown already. */
  password: string | undefined
  /** The published version of the key's first program. */
  version: StoredProgramVersion | undefined
}

export function IssuedPage({ apiKey: key, password, version }: IssuedProps) {
  const { baseUrl, config } = usePage()
  const path = pathOfKey(key.api_key_id)
  const crumbs = [{ text: 'API keys', path: '/admin/keys' }, { text: key.name }]
  if (password === undefined) return <AlreadyShown crumbs={crumbs} path={path} />
  const [slug, username] = [key.programs[0]!, key.api_key_id]
  const samples = [
    ...(key.may_export ? keySamples(baseUrl, slug, username, password) : []),
    ...(key.may_submit ? [submitSample({ baseUrl, slug, username, password, version })] : []),
  ]
  return (
    <Shell
      title="Your new API key"
      part="keys"
      styles={['/assets/docs.css']}
      crumbs={crumbs}
      lead={
        <>
          {key.name} · {key.programs.slice(0, 5).join(', ')}
          {key.programs.length > 5 && ` and ${counted(key.programs.length - 5, 'more program')}`} · from{' '}
          {fromWhere(key).join(', ')} · until <When at={key.expires_at} until />
        </>
      }
    >
      <Notice name="shown-once" tone="attention">
        <strong>The password is shown only this once.</strong> Copy it to your secret store before you leave this page.
        If you lose it, rotate the key.
      </Notice>
      {key.earlier_secret_until !== null && (
        <Notice name="overlap" tone="info">
          The previous password keeps working until <When at={Math.min(key.earlier_secret_until, key.expires_at)} />.
        </Notice>
      )}
      <div class="card">
        <Secret id="username" label="Username" value={key.api_key_id} />
        <Secret id="password" label="Password" value={password} />
        <Secret id="token" label="API Secret Token" value={apiSecretToken(key.api_key_id, password)} />
        <p class="soft">
          Tools that ask for a username and password use the first two. Tools that send their own header use the token:{' '}
          <code>Authorization: Basic …</code>
        </p>
      </div>
      <div class="columns code-first">
        <CodeTabs name="samples" tabs={samples} />
        <NextSteps apiKey={key} />
      </div>
      <Message>{messageAbout(key, baseUrl, config.installationName || 'Tributary')}</Message>
    </Shell>
  )
}

/** For the integrator: everything but the password. */
function messageAbout(key: ListedApiKey, baseUrl: string, installation: string): string {
  const docs = key.programs.slice(0, 5).map(slug => `${baseUrl}/docs/api/programs/${slug}`)
  if (key.may_submit) docs.push(`${baseUrl}/docs/api#registerApplicant`)
  return `Your API key “${key.name}” for ${installation} is ready.

Username: ${key.api_key_id}
Docs:
${docs.join('\n')}

You’ll receive the password separately. Sign in to the docs with both.
`
}

function AlreadyShown({ crumbs, path }: { crumbs: { text: string; path?: string }[]; path: string }) {
  return (
    <Shell
      title="Password already shown"
      part="keys"
      crumbs={crumbs}
      lead="Passwords are shown only once and are not stored."
    >
      <p>
        If you didn’t copy it, <a href={`${path}/rotate`}>rotate the key</a> to get a new one.
      </p>
    </Shell>
  )
}

function NextSteps({ apiKey: key }: { apiKey: ListedApiKey }) {
  return (
    <div class="card">
      <h2>Before you close this page</h2>
      <ul class="steps">
        <li>Copy the password to a secret store.</li>
        <li>
          <a href={`/admin/keys/check?key=${encodeURIComponent(key.api_key_id)}`}>Test access</a> from the client’s
          address.
        </li>
        <li>
          Send the integrator a link to the docs:{' '}
          {key.programs.slice(0, 5).map((program, i) => (
            <>
              {i > 0 && ', '}
              <a href={`/docs/api/programs/${program}`}>{program}</a>
            </>
          ))}
          {key.may_submit && (
            <>
              {' '}
              and the <a href="/docs/api#registerApplicant">intake API</a>
            </>
          )}
          .
        </li>
      </ul>
      <p>
        <LinkButton main href={pathOfKey(key.api_key_id)} text="I’ve saved it" />
      </p>
    </div>
  )
}
