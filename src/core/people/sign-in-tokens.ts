// The random tokens in cookies and links. The database stores only their hashes, so a copy of it doesn't let anyone sign in.

import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, as text for a cookie or a link. */
export const mintToken = (): string => randomBytes(32).toString('base64url')

/** As it is stored. Without a key or salt: 256 random bits leave nothing to guess. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
