// The files that pages load, from our own origin: style sheet, script, fonts, logo. They contain no data, so they are public.

import robotoMono from '@fontsource/roboto-mono/files/roboto-mono-latin-400-normal.woff2' with { type: 'file' }
import { type AssetFile, assetRoutes, css, fonts, javaScript, withFonts, woff2 } from './asset-routes.ts'
import consoleStyle from './assets/console.css' with { type: 'file' }
import docsStyle from './assets/docs.css' with { type: 'file' }
import docsScript from './assets/docs.js' with { type: 'file' }
import editorStyle from './assets/editor.css' with { type: 'file' }
import { editorScript } from './assets/editor-bundle.ts'
import enhance from './assets/enhance.js' with { type: 'file' }
import find from './assets/find.js' with { type: 'file' }
import liveQuestions from './assets/live-questions.js' with { type: 'file' }
import mark from './assets/mark.svg' with { type: 'file' }
import progress from './assets/progress.js' with { type: 'file' }
import run from './assets/run.js' with { type: 'file' }
import scalarStyle from './assets/scalar.css' with { type: 'file' }
import { scalarScript } from './assets/scalar-bundle.ts'
import scalarStart from './assets/scalar-start.js' with { type: 'file' }
import search from './assets/search.js' with { type: 'file' }

/** Imported instead of found by name, so that scripts/build includes them in the binary; the editor is bundled. */
const files: Readonly<Record<string, AssetFile>> = {
  'console.css': withFonts(consoleStyle),
  'editor.css': { path: editorStyle, type: css },
  'editor.js': { make: editorScript, type: javaScript },
  'docs.css': { path: docsStyle, type: css },
  'docs.js': { path: docsScript, type: javaScript },
  'find.js': { path: find, type: javaScript },
  'live-questions.js': { path: liveQuestions, type: javaScript },
  'progress.js': { path: progress, type: javaScript },
  'run.js': { path: run, type: javaScript },
  'scalar.css': { path: scalarStyle, type: css },
  'scalar.js': { packed: scalarScript, type: javaScript },
  'scalar-start.js': { path: scalarStart, type: javaScript },
  'search.js': { path: search, type: javaScript },
  'enhance.js': { path: enhance, type: javaScript },
  'mark.svg': { path: mark, type: 'image/svg+xml' },
  ...fonts,
  'roboto-mono.woff2': { path: robotoMono, type: woff2 },
}

export const shellAssets = () => assetRoutes('/assets', files)
