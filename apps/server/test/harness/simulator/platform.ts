import { Registry } from 'prom-client';
import { Secret } from '../../../src/kernel/secret.ts';
import { cdnUrlOf } from '../../../src/platform/client/urls.ts';
import { createPlatformMetrics } from '../../../src/platform/metrics.ts';
import { createPlatform } from '../../../src/platform/platform.ts';
import { startTestSimulator } from './start.ts';

type LoggedCall = { method: string; path: string; status: number | null; body: unknown };

/** The simulator without rate limits, the service's adapter for it, and its control. */
export const startSimulatedPlatform = async ({ isOpen = true } = {}) => {
  const simulator = await startTestSimulator({ isOpen });
  const { apiUrl, control } = simulator;
  const registry = new Registry();
  const platform = createPlatform({
    apiUrl,
    cdnUrl: cdnUrlOf(apiUrl),
    metrics: createPlatformMetrics(registry),
  });
  return {
    ...simulator,
    registry,
    platform,
    readLog: (): Promise<LoggedCall[]> => control('GET', '/log'),
  };
};

export type SimulatedPlatform = Awaited<ReturnType<typeof startSimulatedPlatform>>;

let lastId = BigInt(Date.now() - 1_420_070_400_000 - 3_600_000) << 22n;

/** An unused id, older than any that the simulator makes. */
export const freshId = (): string => String(++lastId);

/** In the form of real ones: the application's id comes first. */
export const botTokenOf = (applicationId: string): Secret =>
  new Secret(`${Buffer.from(applicationId).toString('base64')}.test.token`);
