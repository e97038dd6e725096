// Takes about 90 s: started before shorter ones.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  type TestGuild,
} from '../../../test/harness/guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../../../test/harness/guilds/damage.ts';
import { newRole, plainSettings } from '../../../test/harness/guilds/parts.ts';
import {
  type RestoreFixture,
  startRestoreFixture,
} from '../../../test/harness/restores/fixture.ts';
import { permission } from '../../platform/permissions.ts';

setDefaultTimeout(300_000);

let trial: RestoreFixture;
beforeAll(async () => {
  trial = await startRestoreFixture();
});
afterAll(() => trial.stop());

/** Backups without a text channel are tested on the model guild. */
const hasText = ({ channels }: TestGuild) => channels.some(({ kind }) => kind === 'text');
const someGuild = arbitraryGuild({ channels: 40, roles: 15 }).filter(hasText);
/** Without shrinking: each run takes a second, and one failing guild is enough. */
const runs = { numRuns: 20, endOnFailure: true };

/** Everything is restored but the named losses, and nothing private was ever visible. */
const expectRestored = async (guild: TestGuild, target: TestGuild, losses: string[]) => {
  const { status, losses: told, summary, violations } = await trial.restoreOver(guild, target);
  expect(new Set(told)).toEqual(new Set(losses));
  expect(status).toBe(losses.length === 0 ? 'completed' : 'partial');
  expect(summary.after).toEqual(summary.expected);
  expect(violations).toEqual([]);
};

test('a wrecked server becomes what it was, through the API and on the platform', async () => {
  await fc.assert(
    fc.asyncProperty(someGuild, arbitraryDamage, async (guild, blows) => {
      await expectRestored(guild, damageGuild(guild, blows), []);
    }),
    runs,
  );
});

test('an empty server becomes the one of the backup, but for the roles of bots that it lacks', async () => {
  await fc.assert(
    fc.asyncProperty(someGuild, fc.boolean(), async (guild, arePeopleThere) => {
      const target = emptyGuild(arePeopleThere ? guild.members : []);
      await expectRestored(guild, target, []);
    }),
    { ...runs, numRuns: 8 },
  );
});

test('a full server is rebuilt beside its wreck, though old and new channels do not fit at once', async () => {
  const full = arbitraryGuild({ channels: 500, roles: 248, exactly: true })
    .filter(hasText)
    // Printed instead of the whole guild; the seed identifies it.
    .map((guild) => ({ guild, [fc.toStringMethod]: () => 'a full server' }));
  await fc.assert(
    fc.asyncProperty(full, arbitraryDamage, async ({ guild }, blows) => {
      await expectRestored(guild, damageGuild(guild, blows), []);
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
