import type { KeyScope, PlanName } from '@holdfast/contract';

/** Who is asking, once their key was found good. */
export type Caller = {
  keyId: string;
  userId: string;
  plan: PlanName;
  scopes: readonly KeyScope[];
  /** When the key itself ends, if ever. */
  expiresAt: Date | null;
};
