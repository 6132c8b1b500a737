import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Problem } from '../../src/base/problem.ts'
import { withSettingFiles } from '../../src/config/setting-files.ts'
import { useFolder } from '../support/fixtures.ts'

const folder = await useFolder()
const file = async (name: string, text: string): Promise<string> => {
  await Bun.write(join(folder, name), text)
  return join(folder, name)
}

describe('withSettingFiles', () => {
  test('a setting is the content of its file without the final line break, and other settings are unchanged', async () => {
    const pepper = await file('pepper', 'four words\nin two lines\n')
    const REDIS_URL_FILE = await file('redis', 'redis://127.0.0.1 \r\n')
    expect(withSettingFiles({ API_KEY_PEPPER_FILE: pepper, REDIS_URL_FILE, HOME_FILE: 'x' })).toMatchObject({
      API_KEY_PEPPER: 'four words\nin two lines',
      REDIS_URL: 'redis://127.0.0.1 ',
      HOME_FILE: 'x',
    })
    expect(withSettingFiles({ API_KEY_PEPPER_FILE: '', API_KEY_PEPPER: 'p' })).toMatchObject({ API_KEY_PEPPER: 'p' })
  })

  test('names every unreadable file and every setting given twice, and never the contents of a file', async () => {
    const secret = await file('secret', 'never shown')
    try {
      withSettingFiles({ API_KEY_PEPPER_FILE: join(folder, 'none'), DATABASE_URL_FILE: secret, DATABASE_URL: 'x' })
      expect.unreachable()
    } catch (error) {
      expect((error as Problem).errors.map(({ parameter, detail }) => [parameter, detail])).toEqual([
        ['DATABASE_URL_FILE', expect.stringMatching(/\bDATABASE_URL\b/)],
        ['API_KEY_PEPPER_FILE', expect.stringMatching(/\/none\b.*\bENOENT\b/)],
      ])
      expect(JSON.stringify((error as Problem).errors)).not.toContain('never shown')
      expect(error).toBeInstanceOf(Problem)
    }
  })
})
