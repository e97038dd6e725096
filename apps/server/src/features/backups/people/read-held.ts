import type { Queryable } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { accountsHolding } from './erasures.ts';
import { listSectionsHolding } from './queries.ts';

/** What the backups of one community hold of a person. */
export type HeldInBackups = {
  serverId: string;
  name: string;
  platformGuildId: string;
  kinds: { kind: HeldKind; backups: number }[];
  oldestAt: Date;
  newestAt: Date;
};

const heldKinds = {
  memberRoles: 'ROLES_AND_NICKNAME',
  messages: 'MESSAGES',
  channels: 'CHANNELS',
  settings: 'TEXTS',
  stickers: 'TEXTS',
} as const;
export type HeldKind = (typeof heldKinds)[keyof typeof heldKinds];

const isShown = (section: string): section is keyof typeof heldKinds => section in heldKinds;

/**
 * Community by community, without those who erased themselves. An owner's list of bans is the owner's,
 * as their other lists are.
 */
export const readHeldInBackups = async (
  db: Queryable,
  ring: KeyRing,
  platformId: string,
): Promise<HeldInBackups[]> => {
  const held = new Map<string, HeldInBackups>();
  for await (const { accountId, person, isHeld } of accountsHolding(db, ring, platformId)) {
    if (!isHeld) continue;
    for (const row of await listSectionsHolding(db, accountId, person)) addTo(held, row);
  }
  return [...held.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
};

const addTo = (
  held: Map<string, HeldInBackups>,
  row: Awaited<ReturnType<typeof listSectionsHolding>>[number],
): void => {
  const { serverId, name, platformGuildId, section, backups, oldestAt, newestAt } = row;
  if (!isShown(section)) return;
  const kind = heldKinds[section];
  const known = held.get(serverId);
  const kinds = [...(known?.kinds ?? []).filter((one) => one.kind !== kind), { kind, backups }];
  held.set(serverId, {
    ...{ serverId, name, platformGuildId, kinds },
    oldestAt: known && known.oldestAt < oldestAt ? known.oldestAt : oldestAt,
    newestAt: known && known.newestAt > newestAt ? known.newestAt : newestAt,
  });
};
