// Lists in header fields (RFC 9110, section 5.6.1), and what their items are made of.

/** A token, as the source of a pattern. */
export const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** A quality value (section 12.4.2), as the source of a pattern. */
export const quality = '(?:0(?:\\.[0-9]{0,3})?|1(?:\\.0{0,3})?)'
/** Commas within a quoted string end no item. An unclosed quote takes in the rest. */
const listItem = /(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g

/** The items of a field, with the spaces around them; some may be nothing else. */
export const listItems = (field: string | null): readonly string[] => field?.match(listItem) ?? []
