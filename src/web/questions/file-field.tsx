// A question that asks for files: a list of its files with Remove buttons, and a field for choosing more. A script uploads files as soon as
// they are chosen and shows the progress.

/** @jsxImportSource preact */

import { fileRulesOf, fileTypeLabels, fileTypes } from '../../domain/files/file-types.ts'
import type { QuestionSettings } from '../../domain/questions/question.ts'
import { type FieldProps, Group, joined, tiesOf, Unseen } from './field-parts.tsx'
import { filled } from './field-view.ts'
import { dropButton } from './form-values.ts'

export function FileField({ path, settings, ...props }: FieldProps & { path: string; settings: QuestionSettings }) {
  const { view, hint } = props
  const { words, files } = view
  const name = `${path}/file_urls`
  const rules = fileRulesOf(settings)
  const limits = filled(words.filesHint, { types: fileTypeLabels(rules.types), megabytes: rules.megabytesMax })
  const urls = view.values.getAll(name)
  const isOn = files?.isOn === true
  const isMany = settings.max_count !== 1
  const how = joined(hint, isOn ? limits : words.filesOff)
  const accept = rules.types.flatMap(type => fileTypes[type].extensions.map(extension => `.${extension}`)).join(',')
  return (
    <Group {...props} name={name} hint={how}>
      {urls.length > 0 && (
        <ul class="files">
          {urls.map(url => (
            <li>
              <input type="hidden" name={name} value={url} autocomplete="off" />
              <span dir="auto">{files?.nameOf(url) ?? url}</span>
              <button type="submit" class="quiet" name={dropButton} value={`${name} ${url}`}>
                {words.remove}
                <Unseen text={files?.nameOf(url) ?? url} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {isOn && (
        <div class="upload">
          <label for={`${name}-new`}>{urls.length === 0 ? words.chooseFile : words.chooseMore}</label>
          <input
            type="file"
            id={`${name}-new`}
            name={name}
            accept={accept}
            multiple={isMany}
            {...tiesOf({ view, name, hint: how })}
          />
          <button type="submit" class="plain" name="upload" value={name}>
            {words.upload}
          </button>
          <progress class="uploading" max="100" hidden aria-label={words.uploading} />
        </div>
      )}
    </Group>
  )
}
