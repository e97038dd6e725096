import { botTokenOf } from '../simulator/platform.ts';

export type Answer = {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers
  body: any;
  sentAt: number;
  answeredAt: number;
};

export type Send = (method: string, path: string, body?: object) => Promise<Answer>;

/** Calls of the platform by a person or bot, by their own token. Who is limited waits and goes on. */
export const actAs =
  (apiUrl: string, userId: string): Send =>
  async (method, path, body) => {
    const token = botTokenOf(userId).reveal();
    for (;;) {
      const sentAt = performance.now();
      const response = await fetch(`${apiUrl}/v10${path}`, {
        method,
        headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      });
      const answer = await answerOf(response, sentAt);
      if (answer.status !== 429) return answer;
      await Bun.sleep(answer.body.retry_after * 1000);
    }
  };

export const answerOf = async (response: Response, sentAt: number): Promise<Answer> => {
  const text = await response.text();
  const answeredAt = performance.now();
  const body = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, body, sentAt, answeredAt };
};
