import { expect } from 'bun:test';
import { z } from 'zod';
import type { TestService } from './service.ts';

export const clientId = 'holdfast-cli';
const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** Another address for each caller; the service must trust 127.0.0.1 as a proxy. */
const someAddress = (): string => {
  const part = () => Math.floor(Math.random() * 250) + 1;
  return `198.${part()}.${part()}.${part()}`;
};

type Form = Record<string, string | undefined>;

const encode = (form: Form): string =>
  new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString();

/** A program that wants a key, at an address of its own. */
export const openProgram = (service: TestService, address = someAddress()) => {
  const post = (path: string, raw: BodyInit, headers: Record<string, string> = {}) =>
    service.call('POST', path, {
      raw,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': address,
        ...headers,
      },
    });
  return {
    address,
    post,
    ask: (form: Form = {}) =>
      post('/oauth/device_authorization', encode({ client_id: clientId, ...form })),
    poll: (deviceCode: string, form: Form = {}) =>
      post(
        '/oauth/token',
        encode({
          ...{ grant_type: grantType, client_id: clientId, device_code: deviceCode },
          ...form,
        }),
      ),
  };
};

/** Has asked, and not polled yet. */
export const beginLogin = async (service: TestService, form: Form = {}) => {
  const program = openProgram(service);
  const { status, body } = await program.ask(form);
  expect(status).toBe(200);
  return {
    ...program,
    deviceCode: String(body.device_code),
    userCode: String(body.user_code),
    poll: (form_: Form = {}) => program.poll(body.device_code, form_),
  };
};

/** The code that a service which listens gives for its owner. */
export const askForKey = async (url: string, form: Form = {}): Promise<string> => {
  const body = new URLSearchParams(encode({ client_id: clientId, ...form }));
  const answer = await fetch(`${url}/oauth/device_authorization`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  return z.object({ user_code: z.string() }).parse(await answer.json()).user_code;
};
