// The text at `/llms.txt`: where language models and their users find the docs. It contains no data, so it is public. Source: llmstxt.org.

export const llmsText = (baseUrl: string): string => `# Tributary

> Exports every application submitted to a public program, complete and exactly once.

Every address below needs HTTP Basic authentication with the Username and Password of an API key. Docs pages are also available as Markdown: append .md to the address. To read a program’s docs in another of its languages, append ?language=es, for example.

## Docs

- [Programs](${baseUrl}/docs/api/programs.md): the programs that the key can access, with a link to the docs of each
- [API reference](${baseUrl}/docs/api.md): every operation, with parameters, responses, errors and samples
- [Connect your tool](${baseUrl}/docs/api/connect.md): steps for Excel, Power BI, Google Sheets, DuckDB, pandas, R, Java, .NET and Azure Data Factory
- [OpenAPI](${baseUrl}/docs/api/openapi.json): the API reference as an OpenAPI 3.1 document
`
