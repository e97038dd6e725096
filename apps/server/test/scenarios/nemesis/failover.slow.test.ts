// Takes about 60 s: started before shorter ones.
import { afterAll, expect } from 'bun:test';
import { clusterPrograms } from '../../harness/failover/programs.ts';
import { stopServices, testWith } from '../../harness/running-service.ts';
import { runPromotions } from '../../nemesis/failover/promotions.ts';

afterAll(stopServices);

const testWithCluster = testWith('patroni, etcd and postgresql', clusterPrograms !== undefined);

/** One promotion; `npm run failover` loses the primary in every way there is. */
testWithCluster(
  'when the primary is killed under load, a standby takes over: no acknowledged write is lost, and work ends right',
  async () => {
    if (!clusterPrograms) throw new Error('It was looked for');
    const said: string[] = [];
    const { acknowledged, violations } = await runPromotions(clusterPrograms, {
      ...{ promotions: 1, ways: ['postgres'] },
      say: (line) => said.push(line),
    });
    expect({ violations, said }).toEqual({ violations: [], said });
    expect(said).toHaveLength(1);
    expect(acknowledged).toBeGreaterThan(10);
  },
  300_000,
);
