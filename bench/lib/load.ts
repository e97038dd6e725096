import { join } from 'node:path';
import { type LoadOrder, loadReport } from './load-order.ts';

type Measured = { latenciesMs: number[]; elapsedMs: number };
export type Load = { run(order: LoadOrder): Promise<Measured>; stop(): Promise<void> };

/** Starts the client process; it takes one order at a time. */
export const startLoad = (): Load => {
  let waiting: PromiseWithResolvers<Measured> | undefined;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'client.ts')], {
    stdout: 'inherit',
    stderr: 'inherit',
    ipc(message) {
      const report = loadReport.parse(message);
      if ('failure' in report) waiting?.reject(new Error(report.failure));
      else waiting?.resolve(report);
    },
    onExit: () => waiting?.reject(new Error('The client ended')),
  });
  return {
    run(order) {
      waiting = Promise.withResolvers();
      child.send(order);
      return waiting.promise;
    },
    async stop() {
      child.kill();
      await child.exited;
    },
  };
};
