import { Registry } from 'prom-client';
import { Secret } from '../src/kernel/secret.ts';
import { createPlatformMetrics } from '../src/platform/metrics.ts';
import { createPlatform } from '../src/platform/platform.ts';
import { cdnUrlOf } from '../src/platform/urls.ts';
import { startTestSimulator } from './simulator.ts';

export type LoggedCall = { method: string; path: string; status: number | null; body: unknown };

/** The simulator without limits in the way, the adapter that speaks to it, and the tester's door. */
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

/** An id nobody else's test has touched, and older than any the simulator makes. */
export const freshId = (): string => String(++lastId);

/** In the form of real ones: the application's id comes first. */
export const botTokenOf = (applicationId: string): Secret =>
  new Secret(`${Buffer.from(applicationId).toString('base64')}.test.token`);
