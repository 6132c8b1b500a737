// MULTI_SELECT: the selected checkboxes.

import { selectionList } from '../fields/selection-list.ts'

export const multiSelect = selectionList('MULTI_SELECT', 'CHECKBOX', 'options')
