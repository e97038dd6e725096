import { request } from 'node:http';
import { z } from 'zod';

const aboutShape = z.object({
  name: z.literal('holdfast-simulator'),
  pid: z.int().positive(),
  ownerPid: z.int().positive().nullable(),
});
export type AboutSimulator = z.infer<typeof aboutShape>;

/** What answers at an address: our simulator, something else, or nobody. */
export type Found =
  | { is: 'simulator'; about: AboutSimulator }
  | { is: 'stranger' }
  | { is: 'nobody' };

const patienceMs = 2000;

export const askWhoIsThere = (url: string): Promise<Found> => talk(url, 'GET');

/** From now on this process is the one that stops it. */
export const takeOver = (url: string): Promise<Found> =>
  talk(url, 'PUT', JSON.stringify({ ownerPid: process.pid }));

/** By node:http, because `fetch` would ask a proxy of the environment for loopback, too. */
const talk = (url: string, method: string, body?: string): Promise<Found> =>
  new Promise((resolve) => {
    // Without the agent, which would use a connection again that the other side has closed.
    const options = { method, agent: false, timeout: patienceMs };
    const asked = request(`${url}/__sim`, options, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve(understand(text)));
      answer.on('error', () => resolve({ is: 'stranger' }));
    });
    asked.on('timeout', () => asked.destroy(new Error('No answer')));
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ is: error.code === 'ECONNREFUSED' ? 'nobody' : 'stranger' }),
    );
    asked.end(body);
  });

const understand = (text: string): Found => {
  try {
    return { is: 'simulator', about: aboutShape.parse(JSON.parse(text)) };
  } catch {
    return { is: 'stranger' };
  }
};
