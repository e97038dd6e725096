// Takes about 60 s: started before shorter ones.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { soak } from '../../soak/soak.ts';

setDefaultTimeout(300_000);

test('whatever is killed under load, all that was acknowledged is there and every job ends right', async () => {
  const said: string[] = [];
  const { protocol } = await soak({
    ...{ minutes: 0.5, communities: 1, seed: 3, meanPauseMs: 5000 },
    say: (line) => said.push(line),
  });
  const done = new Map(protocol.counts());
  for (const what of ['rules made', 'newcomers verified', 'payments taken', 'pulls ended']) {
    expect(done.get(what)).toBeGreaterThan(0);
  }
  expect({ violations: protocol.violations(), said }).toMatchObject({ violations: [] });
});
