// MULTI_SELECT: the options selected of checkboxes.

import { selectionList } from '../fields/selection-list.ts'

export const multiSelect = selectionList('MULTI_SELECT', 'CHECKBOX', 'options')
