// Chooses between CiviForm's manual and its code where they disagree, by what the installation's clients expect.

import type { ExportProfile } from '../../domain/questions/key-map.ts'

/** The rules by which applications are rendered. */
export interface Rendering {
  /** `contract`: as the manual has it. `origin`: as CiviForm's code does it. CIVIFORM.md lists every difference. */
  profile: ExportProfile
  /** The instance's zone. */
  timeZone: string
  /** Where CiviForm is reached: addresses of uploaded files lead there. Without a slash at the end. */
  civiformBaseUrl: string
}

/** Count it up when stored texts would come out differently: the follower then renders all of them again. */
const renderingVersion = 1

/** Identifies a rendering; stored with the texts. */
export const renderingName = ({ profile, timeZone, civiformBaseUrl }: Rendering): string =>
  JSON.stringify([renderingVersion, profile, timeZone, civiformBaseUrl])

/** The profile of a rendering, by its name. */
export const profileOf = (name: string): ExportProfile => (JSON.parse(name) as [number, ExportProfile])[1]
