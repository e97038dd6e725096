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
/** Thousands of tokens take it a moment. */
const patienceForTokensMs = 30_000;

export const askWhoIsThere = (url: string): Promise<Found> => meet(url, 'GET');

/** From now on this process is the one that stops it. */
export const takeOver = (url: string): Promise<Found> =>
  meet(url, 'PUT', { ownerPid: process.pid });

const pairsShape = z.array(
  z.object({
    access_token: z.string(),
    refresh_token: z.string(),
    expires_in: z.number(),
    scope: z.string(),
  }),
);

/** A pair for each of these users, in their order, as if they had agreed. */
export const askForPairs = async (
  url: string,
  wish: { clientId: string; accountIds: string[]; scopes: string[] },
): Promise<z.output<typeof pairsShape>> => {
  const letter = { method: 'POST', body: wish, patienceMs: patienceForTokensMs };
  const { status, text } = await send(`${url}/__sim/tokens`, letter);
  const pairs = status === 200 ? pairsShape.parse(JSON.parse(text)) : [];
  if (pairs.length === wish.accountIds.length) return pairs;
  throw new Error(`The platform simulator at ${url} gave no tokens (${status})`);
};

const meet = async (url: string, method: string, body?: object): Promise<Found> => {
  try {
    return understand((await send(`${url}/__sim`, { method, body, patienceMs })).text);
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    return { is: isRefused ? 'nobody' : 'stranger' };
  }
};

const understand = (text: string): Found => ({
  is: 'simulator',
  about: aboutShape.parse(JSON.parse(text)),
});

type Letter = { method: string; body?: object; patienceMs: number };

/** By node:http, because `fetch` would ask a proxy of the environment for loopback, too. */
export const send = (url: string, letter: Letter): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    // Without the agent, which would use a connection again that the other side has closed.
    const options = {
      method: letter.method,
      headers: letter.body && { 'content-type': 'application/json' },
      agent: false,
      timeout: letter.patienceMs,
    };
    const asked = request(url, options, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error('No answer')));
    asked.on('error', reject);
    asked.end(letter.body && JSON.stringify(letter.body));
  });
