// What the tests use of odata-csdl, which has no types of its own.

declare module 'odata-csdl' {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON; the test holds it against the schema of OASIS
  export function xml2json(xml: string, options: { strict?: boolean; messages?: unknown[] }): any
}
