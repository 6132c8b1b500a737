// The tools on the page “Connect your tool”: the best method for each, its steps, and whether our tests run them.

import { csvScript } from '../code-samples/code-samples.ts'

export interface Tool {
  id: string
  name: string
  way: string
  /** Which of the steps were run, and how; undefined if none. */
  tested?: string
  steps: readonly string[]
  snippets?: readonly { id: string; what: string; code: string }[]
  /** ID of the code sample that the tool uses. */
  sample?: string
}

const feedSteps = (feed: string, menu: string, selecting: string): string[] => [
  `Choose ${menu}, paste \`${feed}\` as the URL, and choose OK.`,
  'On the left, choose Basic. Enter the Username and Password of an API key, and choose Connect.',
  `In the Navigator, ${selecting} Applications and the tables you need, and choose Load.`,
]

const login = 'Set `TRIBUTARY_USERNAME` and `TRIBUTARY_PASSWORD` to the Username and Password of an API key.'

/** Command that exports a program without a client of your own. */
export const pullCommand = (baseUrl: string, slug: string, file: string): string =>
  `tributary pull ${baseUrl} --program ${slug} --out ${file}`

/** All tools, for one program of this installation. */
export function connectedTools(baseUrl: string, slug: string): Tool[] {
  const feed = `${baseUrl}/odata/v1/${slug}`
  const pull = (file: string) => pullCommand(baseUrl, slug, file)
  return [
    ...desktopTools(feed),
    ...fileTools(pull),
    csvOverHttp(baseUrl, slug),
    ...sampledTools(slug),
    dataFactory(feed),
  ]
}

const desktopTools = (feed: string): Tool[] => [
  {
    id: 'excel',
    name: 'Excel',
    way: 'OData feed',
    steps: [
      ...feedSteps(
        feed,
        'Data → Get Data → From Other Sources → From OData Feed',
        'choose Select multiple items, then',
      ),
      'To refresh the data, choose Data → Refresh All.',
    ],
  },
  {
    id: 'power-bi',
    name: 'Power BI',
    way: 'OData feed',
    steps: [
      ...feedSteps(feed, 'Home → Get data → OData feed', 'tick'),
      'In Model view, connect `application_id` of each table to Applications.',
      'Dataflows need a data gateway for Basic authentication.',
    ],
  },
]

const fileTools = (pull: (file: string) => string): Tool[] => [
  {
    id: 'google-sheets',
    name: 'Google Sheets',
    way: 'CSV file',
    tested: 'Command covered by our tests; import not tested',
    steps: [
      login,
      'Pull a CSV file.',
      'Choose File → Import → Upload, and select the file.',
      'Clear “Convert text to numbers, dates, and formulas”, so that leading zeros remain, and choose Import data. A spreadsheet can hold up to 10 million cells.',
    ],
    snippets: [{ id: 'pull-csv', what: 'Pull a CSV file', code: pull('apps.csv') }],
  },
  {
    id: 'duckdb',
    name: 'DuckDB',
    way: 'Parquet file',
    tested: 'Covered by our tests',
    steps: [login, 'Pull a Parquet file.', 'Query it.'],
    snippets: [
      { id: 'pull-parquet', what: 'Pull a Parquet file', code: pull('apps.parquet') },
      {
        id: 'duckdb-query',
        what: 'Query in DuckDB',
        code: "SELECT submit_time::date AS day, count(*)::integer AS applications\nFROM 'apps.parquet'\nGROUP BY day ORDER BY day;",
      },
    ],
  },
  {
    id: 'pandas',
    name: 'pandas',
    way: 'Parquet file',
    tested: 'Tested manually with pandas 3.0 and pyarrow 25',
    steps: [
      login,
      'Pull a Parquet file, as described for DuckDB.',
      'Read it with pandas and `pyarrow`, whose types keep integers as integers even in columns with nulls.',
    ],
    snippets: [
      {
        id: 'pandas-read',
        what: 'Read in pandas',
        code: 'import pandas as pd\n\napplications = pd.read_parquet("apps.parquet", dtype_backend="pyarrow")',
      },
    ],
  },
]

const csvOverHttp = (baseUrl: string, slug: string): Tool => ({
  id: 'csv-over-http',
  name: 'Any tool that reads CSV',
  way: 'CSV over HTTP',
  tested: 'Covered by our tests, with Python and DuckDB',
  steps: [
    login,
    'Save the script as `apps.py`, and run `python3 apps.py`. It requests `format=exact-csv`, checks that each page is complete, and writes `apps.csv`.',
    'Read the file as UTF-8 with all columns as text, so that leading zeros remain. An unquoted empty field is null, and `""` is an empty string.',
  ],
  snippets: [
    {
      id: 'csv-script',
      what: 'Fetch CSV with Python',
      code: csvScript(baseUrl, slug),
    },
    {
      id: 'csv-query',
      what: 'Read CSV in DuckDB',
      code: `FROM read_csv('apps.csv', header = true, all_varchar = true, delim = ',', quote = '"', escape = '"',
  new_line = '\\r\\n', nullstr = '', allow_quoted_nulls = false);`,
    },
  ],
})

const sampledTools = (slug: string): Tool[] =>
  [
    { id: 'r', name: 'R', tested: 'Covered by our tests', sample: 'r' },
    { id: 'java', name: 'Java', tested: 'Covered by our tests', sample: 'java' },
    { id: 'dotnet', name: '.NET', tested: 'Covered by our tests, with Mono', sample: 'csharp' },
  ].map(tool => ({
    ...tool,
    way: 'Code sample, NDJSON',
    steps: [
      login,
      'Download the code sample, and run it as described in its first lines.',
      `It writes \`${slug}.ndjson\`, one application per line.`,
    ],
  }))

const dataFactory = (feed: string): Tool => ({
  id: 'azure-data-factory',
  name: 'Azure Data Factory',
  way: 'OData feed',
  steps: [
    `Choose Manage → Linked services → New → OData. Enter the service URL \`${feed}\`, and choose the authentication type Basic.`,
    'Enter the Username of an API key, and reference its Password in Azure Key Vault. The key must allow the addresses of your integration runtime.',
    'Create an OData dataset with the path `Applications`.',
    'Add a Copy activity with the dataset as its source. If it rejects a date (`Edm.Date` is missing from Microsoft’s list of types), select the other columns in its query: `$select=application_id,submit_time`.',
  ],
})
