// Where CiviForm's manual and its code disagree, an installation says which its clients know.

/** `contract`: as the manual has it. `civiform`: as CiviForm's code does it. CIVIFORM.md lists every difference. */
export type Profile = 'contract' | 'civiform'

/** What texts of applications are rendered under. */
export interface Rendering {
  profile: Profile
  /** The instance's zone. */
  timeZone: string
  /** Where CiviForm is reached: addresses of uploaded files lead there. Without a slash at the end. */
  civiformBaseUrl: string
}

/** Count it up when stored texts would come out differently: the follower then renders all of them again. */
const renderingVersion = 1

/** What tells one rendering from another; kept with the texts. */
export const renderingName = ({ profile, timeZone, civiformBaseUrl }: Rendering): string =>
  JSON.stringify([renderingVersion, profile, timeZone, civiformBaseUrl])
