// Settings for the console and signing in to it.

import { parser, secretSetting, setting, Unusable } from './kinds/setting.ts'
import { duration, oneOf, onOff, optional, text } from './kinds/setting-kinds.ts'

// biome-ignore format: a table, as SETTINGS.md is
export const consoleSettings = {
  sessionIdleMs: setting('SESSION_IDLE', '30m', duration('1m', '24h'),
    'How long a console session lasts without a request, 1m to 24h.'),
  sessionLifetimeMs: setting('SESSION_LIFETIME', '12h', duration('5m', '7d'),
    'Maximum age of a console session, 5m to 7d.'),
  passwordSignIn: setting('PASSWORD_SIGN_IN', 'on', onOff,
    '`on` or `off`: whether people sign in to the console with a password. Off only with OIDC_ISSUER.'),
  secondFactor: setting('SECOND_FACTOR', 'optional', oneOf('optional', 'required'),
    '`optional` or `required`: authenticator codes for people who sign in with a password.'),
  oidcIssuer: setting('OIDC_ISSUER', '', optional(parser(['https://login.example.gov', 'https://login.example.gov/realms/city/'], issuerUrl)),
    'OpenID provider’s issuer: `https://login.example.gov`. With OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.'),
  oidcClientId: setting('OIDC_CLIENT_ID', '', optional(text('tributary')),
    'Client ID at the provider. Its redirect URI is BASE_URL with `/admin/sign-in/oidc/callback`.'),
  oidcClientSecret: secretSetting('OIDC_CLIENT_SECRET', '', optional(text('kV8zXq3mWb')),
    'Client secret for OIDC_CLIENT_ID.'),
  oidcName: setting('OIDC_NAME', 'single sign-on', text('single sign-on', 'City Login'),
    'Provider name, shown on the button after “Sign in with”.'),
  installationName: setting('INSTALLATION_NAME', '', text('City of Arden'),
    'Organization that runs the installation, shown in the console: City of Arden.'),
}

/** Kept as written: the issuer names of some providers end with a slash. */
function issuerUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || /[?#@]|\/\.well-known\//.test(text))
    throw new Unusable('must be the OpenID provider’s issuer URL, such as https://login.example.gov')
  return text
}
