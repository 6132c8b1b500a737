// Every section of the benchmark by its name, in the order they are run.

import type { BenchContext } from '../bench-context.ts'
import type { SectionReport } from '../findings.ts'
import { measureCheckAuth } from './measure-check-auth.ts'
import { measureCompression } from './measure-compression.ts'
import { measureConsole } from './measure-console.ts'
import { measureDepth } from './measure-depth.ts'
import { measureFairness } from './measure-fairness.ts'
import { measureFilters } from './measure-filters.ts'
import { measureFirstByte } from './measure-first-byte.ts'
import { measureFormats } from './measure-formats.ts'
import { measureLatency } from './measure-latency.ts'
import { measureLimit } from './measure-limit.ts'
import { measureLoad } from './measure-load.ts'
import { measureMemory } from './measure-memory.ts'
import { measurePages } from './measure-pages.ts'
import { measurePartitions } from './measure-partitions.ts'
import { measureProcesses } from './measure-processes.ts'
import { measurePrograms } from './measure-programs.ts'
import { measurePublish } from './measure-publish.ts'
import { measureStandbys } from './measure-standbys.ts'
import { measureStart } from './measure-start.ts'
import { measureSubmissions } from './measure-submissions.ts'

export const sections = {
  limit: measureLimit,
  pages: measurePages,
  'first-byte': measureFirstByte,
  depth: measureDepth,
  filters: measureFilters,
  memory: measureMemory,
  'check-auth': measureCheckAuth,
  latency: measureLatency,
  fairness: measureFairness,
  processes: measureProcesses,
  compression: measureCompression,
  formats: measureFormats,
  submissions: measureSubmissions,
  load: measureLoad,
  publish: measurePublish,
  start: measureStart,
  standbys: measureStandbys,
  partitions: measurePartitions,
  console: measureConsole,
  programs: measurePrograms,
} satisfies Record<string, (context: BenchContext) => Promise<SectionReport>>

export type SectionName = keyof typeof sections
