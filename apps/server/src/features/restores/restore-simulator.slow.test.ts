import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import { arbitraryGuild, BOT, type TestGuild } from '../../../test/guild-arbitraries.ts';
import { newRole, plainSettings } from '../../../test/guild-parts.ts';
import { arbitraryWreck, wreck } from '../../../test/guild-wreck.ts';
import { createRestoreTrial, type RestoreTrial } from '../../../test/restore-trial.ts';
import { permission } from '../../platform/permissions.ts';

setDefaultTimeout(300_000);

let trial: RestoreTrial;
beforeAll(async () => {
  trial = await createRestoreTrial();
}, 30_000);
afterAll(() => trial.stop());

/** A backup without a text channel is a matter of its own: see the same tests on the model. */
const hasText = ({ channels }: TestGuild) => channels.some(({ kind }) => kind === 'text');
const someGuild = arbitraryGuild({ channels: 40, roles: 15 }).filter(hasText);
/** One failing server says enough, and each takes a second: none is made smaller here. */
const runs = { numRuns: 20, endOnFailure: true };

/** Everything is there but what is named, and nothing was ever seen that is private. */
const expectRestored = async (guild: TestGuild, target: TestGuild, losses: string[]) => {
  const { status, losses: told, likeness, wrongs } = await trial.restoreOver(guild, target);
  expect(new Set(told)).toEqual(new Set(losses));
  expect(status).toBe(losses.length === 0 ? 'completed' : 'partial');
  expect(likeness.after).toEqual(likeness.wanted);
  expect(wrongs).toEqual([]);
};

test('a wrecked server becomes what it was, through the API and on the platform', async () => {
  await fc.assert(
    fc.asyncProperty(someGuild, arbitraryWreck, async (guild, blows) => {
      await expectRestored(guild, wreck(guild, blows), []);
    }),
    runs,
  );
});

test('an empty server becomes the one of the backup, but for the roles of bots that it lacks', async () => {
  await fc.assert(
    fc.asyncProperty(someGuild, fc.boolean(), async (guild, arePeopleThere) => {
      const target = emptyGuild(arePeopleThere ? guild.members : []);
      await expectRestored(guild, target, lostRoles(guild, target));
    }),
    { ...runs, numRuns: 8 },
  );
});

test('a full server is rebuilt beside its wreck, though old and new channels do not fit at once', async () => {
  const full = arbitraryGuild({ channels: 500, roles: 248, exactly: true })
    .filter(hasText)
    // The seed says which one it was in fewer words.
    .map((guild) => ({ guild, [fc.toStringMethod]: () => 'a full server' }));
  await fc.assert(
    fc.asyncProperty(full, arbitraryWreck, async ({ guild }, blows) => {
      await expectRestored(guild, wreck(guild, blows), []);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});

const emptyGuild = (people: TestGuild['members']): TestGuild => {
  const guildId = '800000000000000000';
  return {
    guildId,
    ownerId: '99',
    settings: plainSettings('Nothing yet'),
    roles: [
      newRole({ id: guildId, name: '@everyone', permissions: permission.viewChannel.toString() }),
      newRole({
        ...{ id: '8700', name: 'Holdfast', position: 1, isManaged: true, botId: BOT.userId },
        permissions: permission.administrator.toString(),
      }),
    ],
    ...{ channels: [], emojis: [], stickers: [], bans: [] },
    members: [
      ...people.filter(({ isBot }) => !isBot).map((one) => ({ ...one, nick: null, roleIds: [] })),
      { userId: BOT.userId, nick: null, roleIds: ['8700'], isBot: true },
    ],
  };
};

const lostRoles = ({ roles }: TestGuild, target: TestGuild): string[] => {
  const here = new Set(target.roles.map(({ botId }) => botId));
  return roles
    .filter(({ isManaged, botId }) => isManaged && !here.has(botId))
    .map(
      ({ name }) => `role ${name}: it belongs to a bot or an integration and comes back with it`,
    );
};
