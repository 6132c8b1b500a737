// The confirmation screen of a key: Username, Password and API Secret Token, once.

/** @jsxImportSource preact */

import type { ListedApiKey } from '../../../core/keys/api-keys.ts'
import { apiSecretToken } from '../../../core/keys/credential.ts'
import type { StoredProgramVersion } from '../../../db/programs/programs.ts'
import { LinkButton, Notice, When } from '../../html/components.tsx'
import { usePage } from '../../html/page-context.ts'
import { CodeTabs, Secret } from '../../html/secret.tsx'
import { Shell } from '../../html/shell.tsx'
import { fromWhere, pathOfKey } from './key-labels.tsx'
import { keySamples } from './key-samples.tsx'
import { submitSample } from './submit-sample.tsx'

interface IssuedProps {
  apiKey: ListedApiKey
  /** Undefined when it was shown before. */
  password: string | undefined
  /** Of the key's first program, what is published now. */
  version: StoredProgramVersion | undefined
}

export function IssuedPage({ apiKey: key, password, version }: IssuedProps) {
  const { baseUrl } = usePage()
  const path = pathOfKey(key.api_key_id)
  const crumbs = [{ text: 'API keys', path: '/admin/keys' }, { text: key.name }]
  if (password === undefined) {
    return (
      <Shell title="The password is gone" part="keys" crumbs={crumbs} lead="It was shown once, and is kept nowhere.">
        <p>
          If it was not copied, <a href={`${path}/rotate`}>rotate the key</a>: that makes another.
        </p>
      </Shell>
    )
  }
  const [slug, username] = [key.programs[0]!, key.api_key_id]
  const samples = [
    ...(key.may_export ? keySamples(baseUrl, slug, username, password) : []),
    ...(key.may_submit ? [submitSample({ baseUrl, slug, username, password, version })] : []),
  ]
  return (
    <Shell
      title="The key is ready"
      part="keys"
      styles={['/assets/docs.css']}
      crumbs={crumbs}
      lead={
        <>
          {key.name} · {key.programs.slice(0, 5).join(', ')}
          {key.programs.length > 5 && ` and ${key.programs.length - 5} more programs`} · from{' '}
          {fromWhere(key).join(', ')} · until <When at={key.expires_at} until />
        </>
      }
    >
      <Notice name="shown-once" tone="attention">
        <strong>This is the only time the password is shown.</strong> Copy it to where your system keeps secrets before
        you leave this page. If it is lost, rotate the key.
      </Notice>
      {key.earlier_secret_until !== null && (
        <Notice name="overlap" tone="info">
          The earlier password works until <When at={key.earlier_secret_until} />, so nothing is interrupted.
        </Notice>
      )}
      <div class="card">
        <Secret id="username" label="Username" value={key.api_key_id} />
        <Secret id="password" label="Password" value={password} />
        <Secret id="token" label="API Secret Token" value={apiSecretToken(key.api_key_id, password)} />
        <p class="soft">
          Tools that ask for a user name and a password take the first two. Tools that want a header take the third:{' '}
          <code>Authorization: Basic …</code>
        </p>
      </div>
      <div class="columns code-first">
        <CodeTabs name="samples" tabs={samples} />
        <NextSteps apiKey={key} />
      </div>
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
          <a href={`/admin/keys/check?key=${encodeURIComponent(key.api_key_id)}`}>See whether a request would pass</a>{' '}
          from the client’s address.
        </li>
        <li>
          Send the integrator the address of the docs:{' '}
          {key.programs.slice(0, 5).map((program, i) => (
            <>
              {i > 0 && ', '}
              <a href={`/docs/api/programs/${program}`}>{program}</a>
            </>
          ))}
          {key.may_submit && (
            <>
              {' '}
              and of <a href="/docs/api#registerApplicant">the intake requests</a>
            </>
          )}
          .
        </li>
      </ul>
      <p>
        <LinkButton main href={pathOfKey(key.api_key_id)} text="Done, hide it for good" />
      </p>
    </div>
  )
}
