// This package's interface for operators' commands.

export { describeAhead } from './applications/ahead-of-clock.ts'
export { findFollowState, readFindings } from './db/follow-state.ts'
export { countKept } from './db/followed-changes.ts'
export { openSource } from './db/source.ts'
export { readSourceQuestions } from './db/source-catalogue.ts'
export { civiformQuestionKey } from './definitions/civiform-question-key.ts'
export {
  differences,
  type Exported,
  isDeliberate,
  type PropertyDifference,
  summarize,
} from './following/compare-applications.ts'
export { examineSource } from './following/examine-source.ts'
export {
  settleAllowance,
  settleDeletions,
  settleMove,
  settleRestore,
} from './following/settle-following.ts'
export { allowanceMsMax } from './source/clock-allowance.ts'
export { followOptionsOf, isUntried, newestEvolution } from './source/followed-source.ts'
