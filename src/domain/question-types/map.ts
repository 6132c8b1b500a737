// MAP: the map features that were selected, by their ids (D14).

import { selectionList } from '../fields/selection-list.ts'

export const map = selectionList('MAP', 'MAP', 'places')
