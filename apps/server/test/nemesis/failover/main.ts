/**
 * Loses the primary of a real cluster (Patroni and etcd) under load, and checks what must hold:
 *
 *   npm run failover [-- --promotions 10] [--ways postgres,switchover,machine,hang,patroni]
 */
import { parseArgs } from 'node:util';
import { removeSharedDataDir } from '../../harness/data-dir.ts';
import { losses } from '../../harness/failover/cluster.ts';
import { clusterPrograms } from '../../harness/failover/programs.ts';
import { stopServices } from '../../harness/running-service.ts';
import { sharedSimulator } from '../../harness/simulator/start.ts';
import { runPromotions } from './promotions.ts';

const run = async (): Promise<boolean> => {
  if (!clusterPrograms)
    throw new Error('Install patroni, python3-etcd, etcd-server and postgresql');
  const { values } = parseArgs({
    options: {
      promotions: { type: 'string', default: '10' },
      ways: { type: 'string', default: losses.join() },
    },
  });
  const startedAt = performance.now();
  const chosen = values.ways.split(',');
  const { acknowledged, refused, violations } = await runPromotions(clusterPrograms, {
    promotions: Number(values.promotions),
    ways: losses.filter((way) => chosen.includes(way)),
    say: (line) => process.stdout.write(`${line}\n`),
  });
  const lines = [
    `writes      ${acknowledged} acknowledged, ${refused} refused and sent again`,
    `violations  ${violations.length}`,
    ...violations.map((violation) => `  ${violation}`),
    `took        ${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
  ];
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return violations.length === 0;
};

const tidyUp = async (): Promise<void> => {
  await stopServices();
  await (await sharedSimulator()).stop();
  removeSharedDataDir();
};

run()
  .finally(tidyUp)
  .then(
    (isFine) => process.exit(isFine ? 0 : 1),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
