// The metadata document of an OData feed: its tables in CSDL XML 4.0. Pure. Names need no escaping, because identifiers consist of letters,
// digits and underscores.

import { containerName, type FeedColumn, type FeedTable, type FeedType } from './feed-tables.ts'

const namespace = 'Tributary'

const capabilities = 'Org.OData.Capabilities.V1'
const capabilitiesUri = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml'
/** Marks a table for which `$count` is not supported. */
const notCountable = `<Annotation Term="${capabilities}.CountRestrictions"><Record><PropertyValue Property="Countable" Bool="false"/></Record></Annotation>`

/** Facets by type: cents are exact, times have whole seconds. */
const facets: Partial<Record<FeedType, string>> = {
  'Edm.Decimal': ' Precision="19" Scale="2"',
  'Edm.DateTimeOffset': ' Precision="0"',
}

export function csdlOf(tables: readonly FeedTable[]): string {
  const types = tables.map(({ name, columns }) => {
    const properties = columns.map((column, i) => propertyOf(column, i === 0)).join('')
    return `<EntityType Name="${name}"><Key><PropertyRef Name="${columns[0]!.name}"/></Key>${properties}</EntityType>`
  })
  const sets = tables.map(({ name, path }) => {
    const set = `<EntitySet Name="${name}" EntityType="${namespace}.${name}"`
    return path.length === 0 ? `${set}/>` : `${set}>${notCountable}</EntitySet>`
  })
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">' +
    `<edmx:Reference Uri="${capabilitiesUri}"><edmx:Include Namespace="${capabilities}"/></edmx:Reference><edmx:DataServices>` +
    `<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="${namespace}">${types.join('')}` +
    `<EntityContainer Name="${containerName}">${sets.join('')}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>`
  )
}

const propertyOf = ({ name, type }: FeedColumn, isKey: boolean): string =>
  `<Property Name="${name}" Type="${type}"${facets[type] ?? ''}${isKey ? ' Nullable="false"' : ''}/>`
