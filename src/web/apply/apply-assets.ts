// The files of the applicants' pages: style sheet, script, fonts, and the city's own color and logo.

import type { Config } from '../../config/all-settings.ts'
import { type AssetFile, assetRoutes, css, fonts, javaScript, withFonts } from '../html/asset-routes.ts'
import liveQuestions from '../html/assets/live-questions.js' with { type: 'file' }
import mark from '../html/assets/mark.svg' with { type: 'file' }
import applyStyle from './assets/apply.css' with { type: 'file' }
import applyScript from './assets/apply.js' with { type: 'file' }

export const assetsPath = '/apply/-/assets'

export const applyAssets = ({ applyColor, applyLogo }: Pick<Config, 'applyColor' | 'applyLogo'>) => {
  const files: Record<string, AssetFile> = {
    'apply.css': withFonts(applyStyle),
    'apply.js': { path: applyScript, type: javaScript },
    'live-questions.js': { path: liveQuestions, type: javaScript },
    'mark.svg': { path: mark, type: 'image/svg+xml' },
    ...fonts,
    'theme.css': { text: `:root { --brand: ${applyColor}; }\n`, type: css },
  }
  if (applyLogo !== '') files.logo = { path: applyLogo, type: logoType(applyLogo) }
  return assetRoutes(assetsPath, files)
}

const logoType = (path: string): string => (/\.png$/i.test(path) ? 'image/png' : 'image/svg+xml')
