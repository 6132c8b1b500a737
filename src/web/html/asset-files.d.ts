// Files that are imported with { type: 'file' }: where they are, in a checkout or within the binary.

declare module '*.css' {
  const path: string
  export default path
}
declare module '*.svg' {
  const path: string
  export default path
}
declare module '*.woff2' {
  const path: string
  export default path
}
declare module '*/assets/find.js' {
  const path: string
  export default path
}
declare module '*/assets/live-questions.js' {
  const path: string
  export default path
}
declare module '*/assets/progress.js' {
  const path: string
  export default path
}
declare module '*/assets/enhance.js' {
  const path: string
  export default path
}
declare module '*/assets/docs.js' {
  const path: string
  export default path
}
declare module '*/assets/run.js' {
  const path: string
  export default path
}
declare module '*/assets/scalar-start.js' {
  const path: string
  export default path
}
declare module '*/assets/search.js' {
  const path: string
  export default path
}
declare module '*/assets/apply.js' {
  const path: string
  export default path
}
