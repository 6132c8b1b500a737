// The random tokens in cookies and links. The database stores only their hashes, so a copy of it doesn't let anyone sign in.

import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, as text for a cookie or a link. */
export const mintToken = (): string => randomBytes(32).toString('base64url')

/** The stored form. It needs no key or salt, because 256 random bits cannot be guessed. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
