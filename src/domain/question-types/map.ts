// MAP: selected map features by ID (D14).

import { selectionList } from '../fields/selection-list.ts'

export const map = selectionList('MAP', 'MAP', 'places')
