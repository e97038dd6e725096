import { parentPort } from 'node:worker_threads';
import { type AsideMessage, type AsideTask, answerAside } from '../../../src/kernel/aside.ts';

type Things = { one: { id: string; list?: unknown[] }; other?: { list: unknown[] } };

/** Answers with what it was given. */
export const echoTask: AsideTask<Things, unknown, { things: Things; how: unknown }> = {
  name: 'echo',
  run: (things, how) => ({ things, how }),
};

/** Never answers. */
export const hangTask: AsideTask<object, null, null> = {
  name: 'hang',
  run() {
    for (;;);
  },
};

export const failTask: AsideTask<object, null, null> = {
  name: 'fail',
  run() {
    throw new TypeError('The guild has no roof');
  },
};

parentPort?.on('message', async (message: AsideMessage) => {
  parentPort?.postMessage(await answerAside([echoTask, hangTask, failTask], message));
});
