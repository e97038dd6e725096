import { describe, expect, test } from 'bun:test';
import { snapshotOf } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { testRestore } from './test-restore.ts';

describe('a test restore', () => {
  test('proves a whole backup', async () => {
    expect(await testRestore(snapshotOf(smallGuild()))).toEqual({
      restorable: true,
      losses: [],
      differences: [],
    });
  });

  test('finds a backup that cannot come back as it was', async () => {
    const backup = snapshotOf(smallGuild());
    const lost = { id: '501', name: 'wave', isAnimated: false, isManaged: false, roleIds: [] };
    const { restorable, differences } = await testRestore({
      ...backup,
      emojis: [{ ...lost, image: null }],
    });
    expect(restorable).toBe(false);
    expect(differences).toEqual(['The emoji wave is missing']);
  });
});
