import type { FailureKind } from '../../../platform/failures.ts';

/**
 * Why a step failed, or was not even tried: a code with its data. The journal stores it, so its field
 * names are a stored format; sentences are made where it is read.
 */
export type StepFailure =
  | {
      code: 'platform';
      kind: FailureKind;
      /** The platform's own code, and its words. */
      platformCode?: number;
      words?: string;
    }
  /** What it concerns could not be made. */
  | { code: 'dependencyMissing'; of: string }
  /** Held back: permissions of something could not be taken away first. */
  | { code: 'notTightened'; name: string }
  /** Held back: nothing is deleted before its replacement is made. */
  | { code: 'notCreated'; name: string }
  /** Held back: it would open channels that could not be deleted. */
  | { code: 'channelsLeft' };
