// Makes text from a service safe to show in a terminal or editor. Terminals obey control characters, so a text could clear the screen or
// rename the window. Characters that change the direction of writing could disguise one line as another.

const obeyed = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

const numberOf = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')

/** For people: as a symbol (`␛`) or code point (`<U+202E>`). Line feeds stay. */
export const visibleText = (text: string): string =>
  text.replace(obeyed, character =>
    character < ' ' ? String.fromCharCode(0x2400 + character.charCodeAt(0)) : `<U+${numberOf(character)}>`,
  )

/** For JavaScript source: escaped, so that a string literal keeps its value. Line feeds stay. */
export const escapedText = (text: string): string => text.replace(obeyed, character => `\\u${numberOf(character)}`)
