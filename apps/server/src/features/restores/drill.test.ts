import { describe, expect, test } from 'bun:test';
import { snapshotOf } from '../../../test/guild-arbitraries.ts';
import { server } from '../../../test/small-server.ts';
import { drill } from './drill.ts';

describe('a drill', () => {
  test('proves a whole backup', async () => {
    expect(await drill(snapshotOf(server()))).toEqual({
      restorable: true,
      losses: [],
      differences: [],
    });
  });

  test('finds a backup that cannot come back as it was', async () => {
    const backup = snapshotOf(server());
    const lost = { id: '501', name: 'wave', isAnimated: false, isManaged: false, roleIds: [] };
    const { restorable, differences } = await drill({
      ...backup,
      emojis: [{ ...lost, image: null }],
    });
    expect(restorable).toBe(false);
    expect(differences).toEqual(['The emoji wave is missing']);
  });
});
