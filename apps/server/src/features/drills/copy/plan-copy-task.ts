import type { AsideTask } from '../../../kernel/aside.ts';
import type { BotMember } from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { planCopy } from './plan-copy.ts';

/** `state` is the JSON that the simulator is sent: of a large guild it is megabytes. */
export type Copy = Omit<ReturnType<typeof planCopy>, 'state'> & { state: Uint8Array };

export const planCopyTask: AsideTask<{ snapshot: Snapshot }, { bot: BotMember }, Copy> = {
  name: 'drills.planCopy',
  run({ snapshot }, { bot }) {
    const copy = planCopy(snapshot, bot);
    return { ...copy, state: new TextEncoder().encode(JSON.stringify(copy.state)) };
  },
};
