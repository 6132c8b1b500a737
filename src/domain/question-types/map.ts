// MAP: the map features that were selected, by their ids (D14).

import { selectionList } from './selection-list.ts'

export const map = selectionList('MAP', 'MAP', 'places')
