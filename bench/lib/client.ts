import { type Connection, openConnection } from './connection.ts';
import { type LoadOrder, type LoadReport, loadOrder } from './load-order.ts';

/** The load, as a process of its own: what it needs of the processor is not the runner's. */
const executePull = async (order: LoadOrder): Promise<LoadReport> => {
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => openConnection(order.origin)),
  );
  try {
    // The first answer of a connection pays for opening it.
    for (const [place, connection] of connections.entries()) {
      await ask(connection, requestAt(order, place));
    }
    const startedAt = performance.now();
    const latencies = await Promise.all(
      connections.map((connection, place) => sendOn(connection, place, startedAt, order)),
    );
    return { latenciesMs: latencies.flat(), elapsedMs: performance.now() - startedAt };
  } finally {
    for (const connection of connections) connection.close();
  }
};

const sendOn = async (
  connection: Connection,
  place: number,
  startedAt: number,
  order: LoadOrder,
): Promise<number[]> => {
  const { rate, connections, durationMs } = order;
  const request = requestAt(order, place);
  const everyMs = rate === undefined ? 0 : (connections / rate) * 1000;
  const latencies: number[] = [];
  let dueAt = startedAt + (place * everyMs) / connections;
  while (performance.now() < startedAt + durationMs) {
    const sentAt = rate === undefined ? performance.now() : await whenDue(dueAt);
    await ask(connection, request);
    latencies.push(performance.now() - sentAt);
    dueAt += everyMs;
  }
  return latencies;
};

const requestAt = ({ requests }: LoadOrder, place: number): string =>
  requests[place % requests.length] ?? '';

/** A request that had to wait for the answer before it counts from when it should have left. */
const whenDue = async (dueAt: number): Promise<number> => {
  const now = performance.now();
  if (now >= dueAt) return dueAt;
  await Bun.sleep(dueAt - now);
  return performance.now();
};

const ask = async (connection: Connection, request: string): Promise<void> => {
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`Answered ${status}: ${body.toString()}`);
};

process.on('message', async (message) => {
  const report: LoadReport = await executePull(loadOrder.parse(message)).catch(
    (error: unknown) => ({
      failure: String(error),
    }),
  );
  process.send?.(report);
});
