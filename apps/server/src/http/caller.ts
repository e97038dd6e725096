import type { KeyScope, PlanName } from '@holdfast/contract';
import type { Actor } from './handler.ts';

/** Who is asking, once their key or their session was found good. */
export type Caller = {
  /** Of the key, or of the session. */
  id: string;
  accountId: string;
  plan: PlanName;
  actor: Actor;
  scopes: readonly KeyScope[];
  /** When the key itself ends, if ever. */
  expiresAt: Date | null;
  /** A second factor is asked for, and was not shown a moment ago: nothing dangerous is done. */
  mustConfirm: boolean;
};
