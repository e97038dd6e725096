import { createProtectionMetrics } from '../../src/features/protection/contain/metrics.ts';
import { lookAt } from '../../src/features/protection/watch/look-at-guild.ts';
import type { LookAt } from '../../src/features/protection/watch/look-job.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { backupDependencies } from './backups/run-backup.ts';
import type { GatewayFixture } from './gateway.ts';

/** Reads a guild as the job does, at once and in the test's own process. */
export const lookAtGuild = ({ service, simulator }: GatewayFixture, look: LookAt) => {
  const dependencies = {
    ...backupDependencies(service, simulator.apiUrl),
    clock: systemClock,
    protectionMetrics: createProtectionMetrics(createMetrics().registry),
  };
  return lookAt(dependencies, look, new AbortController().signal);
};
