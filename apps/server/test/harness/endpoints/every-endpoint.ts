import { expect } from 'bun:test';
import { type Endpoint, type EndpointName, endpoints } from '@holdfast/contract';
import {
  plansWithoutRateLimit,
  type Reply,
  startTestService,
  type TestService,
} from '../service.ts';
import type { Sample } from './sample-records.ts';

const roomyPlans = Object.fromEntries(
  (['FREE', 'PREMIUM', 'BUSINESS', 'ENTERPRISE'] as const).map((name) => [
    name,
    { ...plansWithoutRateLimit[name], maxServers: 1e6, maxBots: 1e6, maxBackups: 1e6 },
  ]),
) as typeof plansWithoutRateLimit;

/** For a request to every endpoint. Restores wait, so that there is one to read and to cancel. */
export const serveEveryEndpoint = (): Promise<TestService> =>
  startTestService({ plans: roomyPlans, doesWork: ['backups.run'] });

// Object.entries widens the names; they are the contract's own.
export const everyEndpoint = Object.entries(endpoints) as [EndpointName, Endpoint][];

export const expectCommonHeaders = ({ headers }: Reply): void => {
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('cache-control')).toBe('no-store');
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
  }
  expect(headers.get('access-control-allow-origin')).toBeNull();
};

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The sample once for each id in it, that id replaced. */
export const withEachId = (sample: Sample, replace: () => string): [string, Sample][] =>
  (['params', 'query', 'body'] as const).flatMap((part) =>
    Object.entries(sample[part] ?? {})
      .filter(([, value]) => typeof value === 'string' && uuidPattern.test(value))
      .map(([field]): [string, Sample] => [
        field,
        { ...sample, [part]: { ...sample[part], [field]: replace() } },
      ]),
  );
