// What the tests use of packages of OASIS, which have no types of their own.

declare module 'odata-csdl' {
  // biome-ignore lint/suspicious/noExplicitAny: any JSON; the test holds it against the schema of OASIS
  export function xml2json(xml: string, options: { strict?: boolean; messages?: unknown[] }): any
}

declare module 'odata-openapi' {
  export function csdl2openapi(csdl: unknown, options: { scheme: string; host: string; basePath: string }): object
}
