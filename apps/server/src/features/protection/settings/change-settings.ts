import type { ProtectionChanges } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Actor } from '../../../http/handler.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import type { AuditedChange } from '../../audit/queries.ts';
import { readTime } from '../../servers/queries.ts';
import { findStoredSettings, storeSettings } from '../queries/settings.ts';
import { forgetWatched } from '../queries/watched.ts';
import {
  completeSettings,
  type Decision,
  decideChanges,
  delayMinutesFor,
  isBelowDefault,
} from '../rules.ts';
import { lookLater } from '../watch/look-job.ts';
import { keyNameOf } from './follow-changes.ts';
import { weakenLater } from './weaken-later.ts';

type Dependencies = { queue: Pick<Queue, 'enqueue'> };

/** The server's row, which the caller has locked: so nobody else changes the settings meanwhile. */
type LockedServer = {
  id: string;
  accountId: string;
  customBotId: string;
  platformGuildId: string;
  antiNukeEnabled: boolean;
  antiRaidEnabled: boolean;
};

const switches = ['antiNukeEnabled', 'antiRaidEnabled'] as const;

/**
 * Stores what is asked for, as far as it takes effect at once, and what waits. The switches are the
 * server's own: the caller stores them, and writes the audit entries at the end of its transaction.
 */
export const changeSettings = async (
  tx: Transaction,
  { queue }: Dependencies,
  server: LockedServer,
  { actor, asked }: { actor: Actor; asked: ProtectionChanges },
): Promise<Decision> => {
  const owner = { accountId: server.accountId, serverId: server.id };
  const stored = await findStoredSettings(tx, owner);
  const before = { settings: completeSettings(server, stored), pending: stored?.pending ?? [] };
  const minutes = delayMinutesFor(before.settings, actor);
  const at = minutes > 0 ? new Date((await readTime(tx)).getTime() + minutes * 60_000) : null;
  const decision = decideChanges(before, asked, at);
  const { settings, pending, changed, waiting, weakened, takenBack } = decision;
  if (changed.length + waiting.length + takenBack.length === 0) return decision;
  await storeSettings(tx, owner, { ...settings, pending });
  // From now on it matters who the guild's owner is, what its roles allow, and what the bot can do.
  if (switches.some((one) => settings[one] && !server[one])) {
    const { customBotId: botId, platformGuildId: guildId } = server;
    if (!server.antiNukeEnabled) await forgetWatched(tx, owner);
    await lookLater(queue, tx, { ...owner, botId, guildId, afterEntryId: null });
  }
  if (waiting.length > 0) await weakenLater(tx, queue, owner, minutes * 60);
  await tellTightening(tx, queue, owner, { actor, changed });
  const alarming = [...waiting, ...weakened].map(({ field }) => field);
  if (alarming.length > 0) {
    const keyName = await keyNameOf(tx, owner.accountId, actor);
    const effectiveAt = waiting[0]?.at ?? null;
    const facts = { weakened: alarming, effectiveAt, keyName };
    await raiseAlert(tx, { queue }, { ...owner, kind: 'INCIDENT', facts });
  }
  return decision;
};

/** A key that lowers thresholds below the defaults could have every moderator stopped. */
const tellTightening = async (
  tx: Transaction,
  queue: Dependencies['queue'],
  owner: { accountId: string; serverId: string },
  { actor, changed }: { actor: Actor; changed: Decision['changed'] },
): Promise<void> => {
  const tightened = changed.filter(isBelowDefault).map(({ field }) => field);
  if (actor.type !== 'KEY' || tightened.length === 0) return;
  const facts = { tightened, keyName: await keyNameOf(tx, owner.accountId, actor) };
  await raiseAlert(tx, { queue }, { ...owner, kind: 'INCIDENT', facts });
};

/** The same for a change of the server, which stores its switches itself. */
export const changeSwitches =
  (dependencies: Dependencies) =>
  async (
    tx: Transaction,
    server: LockedServer,
    change: { actor: Actor; asked: Pick<ProtectionChanges, 'antiNukeEnabled' | 'antiRaidEnabled'> },
  ) => {
    const decision = await changeSettings(tx, dependencies, server, change);
    const { antiNukeEnabled, antiRaidEnabled } = decision.settings;
    return {
      switches: { antiNukeEnabled, antiRaidEnabled },
      audited: auditedChanges(server, change.actor, { ...decision, changed: [] }),
    };
  };

/** What waits, and what was taken back, has entries of its own. */
export const auditedChanges = (
  server: { id: string; accountId: string },
  actor: Actor,
  { changed, waiting, takenBack }: Pick<Decision, 'changed' | 'waiting' | 'takenBack'>,
): AuditedChange[] => {
  const { accountId } = server;
  const subject = { type: 'server', id: server.id };
  const byField = Object.fromEntries(changed.map(({ field, from, to }) => [field, { from, to }]));
  const kept = takenBack.length > 0 ? { takenBack } : {};
  const changes = { ...byField, ...kept };
  return [
    ...(Object.keys(changes).length > 0
      ? [{ ...{ accountId, actor, subject, changes }, action: 'protection.update' as const }]
      : []),
    ...(waiting.length > 0
      ? [
          {
            ...{ accountId, actor, subject, action: 'protection.weaken_later' as const },
            changes: Object.fromEntries(
              waiting.map(({ field, from, to, at }) => [field, { from, to, at }]),
            ),
          },
        ]
      : []),
  ];
};
