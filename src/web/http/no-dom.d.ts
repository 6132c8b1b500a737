// Replaces TypeScript's DOM library, which Preact's types reference. This code does not run in browsers, and the DOM library would change
// the types of timers and streams. The file must stay empty.
