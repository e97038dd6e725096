import type { personalDataKinds } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { walkAccountsWithObjects } from './erasures.ts';
import { listSectionsWithPerson } from './queries.ts';

/** What the backups of one server hold of a person. */
export type PersonalDataInBackups = {
  serverId: string;
  name: string;
  platformGuildId: string;
  kinds: { kind: PersonalDataKind; backups: number }[];
  oldestAt: Date;
  newestAt: Date;
};

type PersonalDataKind = (typeof personalDataKinds)[number];

const kindOfSection = {
  memberRoles: 'ROLES_AND_NICKNAME',
  messages: 'MESSAGES',
  threads: 'MESSAGES',
  channels: 'CHANNELS',
  settings: 'TEXTS',
  stickers: 'TEXTS',
  automod: 'TEXTS',
  onboarding: 'TEXTS',
  welcomeScreen: 'TEXTS',
  events: 'TEXTS',
  webhooks: 'TEXTS',
} as const satisfies Record<string, PersonalDataKind>;

const isShown = (section: string): section is keyof typeof kindOfSection =>
  section in kindOfSection;

/** What such sections of a backup hold. */
export const kindsIn = (sections: readonly string[]): PersonalDataKind[] =>
  [...new Set(sections.filter(isShown).map((section) => kindOfSection[section]))].sort();

/** By server. The owner's list of bans is left out: it is the owner's data, as their other lists are. */
export const readPersonalDataInBackups = async (
  db: Queryable,
  ring: KeyRing,
  platformId: string,
): Promise<PersonalDataInBackups[]> => {
  const byServer = new Map<string, PersonalDataInBackups>();
  for await (const { accountId, person, isHeld } of walkAccountsWithObjects(db, ring, platformId)) {
    if (!isHeld) continue;
    for (const row of await listSectionsWithPerson(db, accountId, person)) addRow(byServer, row);
  }
  return [...byServer.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
};

const addRow = (
  byServer: Map<string, PersonalDataInBackups>,
  row: Awaited<ReturnType<typeof listSectionsWithPerson>>[number],
): void => {
  const { serverId, name, platformGuildId, section, backups, oldestAt, newestAt } = row;
  if (!isShown(section)) return;
  const kind = kindOfSection[section];
  const existing = byServer.get(serverId);
  const kinds = [...(existing?.kinds ?? []).filter((one) => one.kind !== kind), { kind, backups }];
  byServer.set(serverId, {
    ...{ serverId, name, platformGuildId, kinds },
    oldestAt: existing && existing.oldestAt < oldestAt ? existing.oldestAt : oldestAt,
    newestAt: existing && existing.newestAt > newestAt ? existing.newestAt : newestAt,
  });
};
