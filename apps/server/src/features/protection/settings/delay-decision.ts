import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { DecidedFacts } from '../../alerts/rules.ts';
import { readTime } from '../../servers/queries.ts';
import { findStoredSettings } from '../queries/settings.ts';
import { delayMinutesFor } from '../rules.ts';
import { keyNameOf } from './follow-changes.ts';

type Owner = { accountId: string; serverId: string };
type Decided = { actor: Actor } & Pick<DecidedFacts, 'decided' | 'subjectId'>;

/** When it takes effect, and in how many seconds. */
type Delay = { at: Date; seconds: number };

/**
 * What gives power back, or accepts what is left as good, waits where a key decides it, for as long as a
 * weakening of protection does; the owner is told in the same transaction. Undefined where it is somebody in the
 * dashboard: then it takes effect at once.
 */
export const delayDecision =
  ({ queue }: { queue: Pick<Queue, 'enqueue'> }) =>
  async (
    tx: Transaction,
    owner: Owner,
    { actor, decided, subjectId }: Decided,
  ): Promise<Delay | undefined> => {
    if (actor.type !== 'KEY') return undefined;
    const { disableDelayMinutes = 0 } = (await findStoredSettings(tx, owner)) ?? {};
    const seconds = delayMinutesFor({ disableDelayMinutes }, actor) * 60;
    const at = new Date((await readTime(tx)).getTime() + seconds * 1000);
    const keyName = await keyNameOf(tx, owner.accountId, actor);
    const facts = { decided, subjectId, effectiveAt: at.toISOString(), keyName };
    await raiseAlert(tx, { queue }, { ...owner, kind: 'INCIDENT', facts });
    return { at, seconds };
  };
