import { createObjectReader } from '../../../src/features/backups/objects/read-objects.ts';
import { createBackupFixture, type OwnedGuild } from '../backups/fixture.ts';
import { randomPlatformId } from '../service.ts';
import { openBrowser, type PeopleFixture } from './people.ts';

const viewChannel = (1n << 10n).toString();

type SimulatedMember = { user: { id: string }; nick?: string | null; roles: string[] };
type SimulatedChannel = { id: string; name: string; type: number; permission_overwrites: object[] };
type SimulatedGuild = {
  roles: { id: string; name: string; managed: boolean; position: number }[];
  members: SimulatedMember[];
  channels: SimulatedChannel[];
  messages: object[];
  bans: { user: { id: string }; reason: string | null }[];
};

/** A guild in which one person left something in every section that can hold people. */
export const createErasureFixture = (
  fixture: Pick<PeopleFixture, 'service' | 'simulator' | 'send'>,
) => {
  const { service, simulator } = fixture;
  const backups = createBackupFixture(service, simulator);
  const guildOf = ({ guildId }: OwnedGuild): Promise<SimulatedGuild> =>
    simulator.control('GET', `/guilds/${guildId}`);
  const putGuild = ({ guildId }: OwnedGuild, guild: object) =>
    simulator.control('PUT', `/guilds/${guildId}`, guild);

  return {
    backups,
    guildOf,
    putGuild,

    /** A person with unique names, which a search can find. */
    async newPerson() {
      const platformId = randomPlatformId();
      const canary = `canary${crypto.randomUUID().slice(0, 8)}`;
      await simulator.control('PUT', `/users/${platformId}`, { username: canary });
      return { platformId, canary };
    },

    async putEverywhere(server: OwnedGuild, { platformId, canary }: Person) {
      const guild = await guildOf(server);
      const role = guild.roles.find(({ id, managed }) => id !== server.guildId && !managed);
      const text = guild.channels.find(({ type }) => type === 0);
      const other = randomPlatformId();
      const [author, friend] = [{ id: platformId, username: canary }, { id: other }];
      const inText = { channel_id: text?.id };
      await putGuild(server, {
        ...guild,
        members: [
          ...guild.members,
          { user: author, nick: `${canary}-nick`, roles: [role?.id] },
          { user: friend, nick: 'Friend', roles: [role?.id] },
        ],
        channels: guild.channels.map((channel) =>
          channel.id === text?.id
            ? {
                ...channel,
                topic: `led by <@${platformId}> and ${platformId}`,
                permission_overwrites: [
                  ...channel.permission_overwrites,
                  { id: platformId, type: 1, allow: viewChannel, deny: '0' },
                ],
              }
            : channel,
        ),
        messages: [
          { ...inText, id: randomPlatformId(), author, content: `I am ${canary}` },
          { ...inText, id: randomPlatformId(), author: friend, content: `hi <@${platformId}>` },
        ],
      });
      return { roleId: String(role?.id), channelId: String(text?.id), other };
    },

    async erase({ platformId }: Pick<Person, 'platformId'>) {
      const browser = openBrowser(fixture);
      await browser.signIn(platformId);
      return browser.post('/me/erase', { confirmation: 'ERASE' });
    },

    /** Every object of the account, decrypted: those that hold the text, as they read. */
    async objectsHolding({ tenant: { accountId } }: OwnedGuild, text: string, backupId?: string) {
      const rows: { hash: string }[] = backupId
        ? await service.db.$client`select hash from blobs join backup_blobs on blob_id = id
            where account_id = ${accountId} and backup_id = ${backupId}`
        : await service.db.$client`select hash from blobs where account_id = ${accountId}`;
      const read = createObjectReader(service.db, service.blobs, accountId);
      const decoded = await Promise.all(
        rows.map(async ({ hash }) => Buffer.from(await read(hash)).toString()),
      );
      return decoded.filter((object) => object.includes(text));
    },
  };
};

export type Person = { platformId: string; canary: string };
export type ErasureFixture = ReturnType<typeof createErasureFixture>;
