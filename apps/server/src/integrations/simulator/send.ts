import { request } from 'node:http';

type SendOptions = {
  method: string;
  /** Bytes are JSON already. */
  body?: object;
  timeoutMs: number;
};

/** Uses node:http, because `fetch` would use the environment's proxy for loopback, too. */
export const send = (
  url: string,
  { method, body, timeoutMs: timeout }: SendOptions,
): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = body && { 'content-type': 'application/json' };
    // Without an agent, which would reuse a connection that the other side has closed.
    const sent = request(url, { method, headers, agent: false, timeout }, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sent.on('timeout', () => sent.destroy(new Error('No answer')));
    sent.on('error', reject);
    sent.end(body instanceof Uint8Array ? body : body && JSON.stringify(body));
  });
