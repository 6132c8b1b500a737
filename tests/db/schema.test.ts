import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createBareDatabase, createTestDatabase } from '../support/database.ts'
import { dumpSchema } from '../support/schema-dump.ts'

const file = join(import.meta.dir, 'schema.sql')

test('schema.sql is what the migrations make (UPDATE_SCHEMA=1 writes it again)', async () => {
  const database = await createTestDatabase()
  const schema = await dumpSchema(database.sql)
  await database.drop()
  if (process.env.UPDATE_SCHEMA === '1') await Bun.write(file, schema)
  expect(schema).toBe(await Bun.file(file).text())
})

test('nothing is missing in it: loaded into an empty database it makes the same schema', async () => {
  const database = await createBareDatabase()
  const schema = await Bun.file(file).text()
  await database.sql.unsafe(schema).simple()
  const again = await dumpSchema(database.sql)
  await database.drop()
  expect(again).toBe(schema)
})
