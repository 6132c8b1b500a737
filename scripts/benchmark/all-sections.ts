// The benchmark's sections by name, in the order in which they run.

import type { BenchContext } from './bench-context.ts'
import type { SectionReport } from './figures/findings.ts'
import { measureFormats } from './measure-formats.ts'
import { measureLatency } from './measure-latency.ts'
import { measureLoad } from './measure-load.ts'
import { measureMemory } from './measure-memory.ts'
import { measurePages } from './measure-pages.ts'
import { measurePulling } from './measure-pulling.ts'
import { measureSearch } from './measure-search.ts'

export const sections: Record<string, (context: BenchContext) => Promise<SectionReport>> = {
  pages: measurePages,
  memory: measureMemory,
  latency: measureLatency,
  formats: measureFormats,
  load: measureLoad,
  pull: measurePulling,
  search: measureSearch,
}
