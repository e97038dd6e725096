import { type SimulatorOptions, startSimulator } from '@holdfast/simulator';
import { watchTraffic } from '@holdfast/simulator/traffic';

export type TestSimulator = {
  url: string;
  apiUrl: string;
  /** Calls its control, such as `PUT`, `/guilds/1`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  control(method: string, path: string, body?: unknown): Promise<any>;
  /** Throws if `PLATFORM_OPENAPI` is set and a request or answer so far is not as it describes. */
  checkTraffic(): Promise<void>;
  stop(): Promise<void>;
};

/** Limits that only the tests about limits reach. */
const wideLimits = {
  default: { limit: 1_000_000, perMs: 1000 },
  global: { limit: 1_000_000, perMs: 1000 },
};

/** A simulator of a test's own. */
export const startTestSimulator = async (
  options: Pick<SimulatorOptions, 'isOpen' | 'onApplied'> = {},
): Promise<TestSimulator> => {
  const { url, stop } = await startSimulator({ port: 0, ...options });
  const traffic = await watchTraffic(controlOf(url));
  const simulator: TestSimulator = {
    url,
    apiUrl: `${url}/api`,
    control: traffic.control,
    checkTraffic: traffic.check,
    async stop() {
      await traffic.check();
      await stop();
    },
  };
  await simulator.control('PUT', '/limits', wideLimits);
  return simulator;
};

const controlOf =
  (url: string): TestSimulator['control'] =>
  async (method, path, body) => {
    const response = await fetch(`${url}/__sim${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Simulator: ${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

/** Global, because Bun may load the modules again for each test file. */
const shared = globalThis as { holdfastSimulator?: Promise<TestSimulator> };

/** One simulator for all tests that use their own guilds and bots. */
export const sharedSimulator = (): Promise<TestSimulator> => {
  shared.holdfastSimulator ??= startTestSimulator();
  return shared.holdfastSimulator;
};
