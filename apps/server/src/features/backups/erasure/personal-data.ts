import type { personalDataKinds } from '@holdfast/contract';
import type { Queryable } from '../../../db/connect.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import { walkAccountsWithObjects } from './erasures.ts';
import { listBackupsWithPerson } from './queries.ts';

/** What the backups of one server hold of a person. */
export type PersonalDataInBackups = {
  serverId: string;
  name: string;
  platformGuildId: string;
  kinds: { kind: PersonalDataKind; backups: number }[];
  oldestAt: Date;
  newestAt: Date;
  /** Each of them, the newest first. */
  list: { name: string; savedAt: Date; kinds: PersonalDataKind[] }[];
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
  const found: PersonalDataInBackups[] = [];
  for await (const { accountId, person, isHeld } of walkAccountsWithObjects(db, ring, platformId)) {
    if (!isHeld) continue;
    const rows = await listBackupsWithPerson(db, accountId, person);
    const shown = rows.filter(({ sections }) => sections.some(isShown));
    const byServer = Map.groupBy(shown, ({ serverId }) => serverId);
    for (const own of byServer.values()) found.push(...describeServer(own));
  }
  return found.sort((one, other) => (one.name < other.name ? -1 : 1));
};

/** The newest backup is the first. */
const describeServer = (
  rows: Awaited<ReturnType<typeof listBackupsWithPerson>>,
): PersonalDataInBackups[] => {
  const [newest, oldest] = [rows.at(0), rows.at(-1)];
  if (!newest || !oldest) return [];
  const { serverId, name, platformGuildId } = newest;
  const list = rows.map(({ backupName, savedAt, sections }) => ({
    name: backupName,
    savedAt,
    kinds: kindsIn(sections),
  }));
  const kinds = [...new Set(list.flatMap((one) => one.kinds))].map((kind) => ({
    kind,
    backups: list.filter((one) => one.kinds.includes(kind)).length,
  }));
  const [oldestAt, newestAt] = [oldest.savedAt, newest.savedAt];
  return [{ serverId, name, platformGuildId, kinds, oldestAt, newestAt, list }];
};
