// Stands in for TypeScript's library of the browser, which Preact's types ask for: this code runs on no browser, and with that
// library in, timers and streams would get types that Bun's are not. It must stay empty.
