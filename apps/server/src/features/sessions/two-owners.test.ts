import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Endpoint, type EndpointName, endpoints } from '@holdfast/contract';
import {
  type DashboardBrowser,
  type DashboardFixture,
  signInToDashboard,
  startDashboardFixture,
} from '../../../test/harness/dashboard/fixture.ts';
import { formWith, type Sample } from '../../../test/harness/endpoints/sample-records.ts';
import { samples } from '../../../test/harness/endpoints/samples.ts';
import { type OwnTenant, plansWithoutRateLimit } from '../../../test/harness/service.ts';

let fixture: DashboardFixture;
let owner: OwnTenant;
let stranger: OwnTenant;
beforeAll(async () => {
  fixture = await startDashboardFixture({ plans: roomyPlans, doesWork: ['backups.run'] });
  owner = await fixture.service.newTenant();
  stranger = await fixture.service.newTenant();
});
afterAll(() => fixture.service.stop());

const roomyPlans = {
  ...plansWithoutRateLimit,
  ENTERPRISE: {
    ...plansWithoutRateLimit.ENTERPRISE,
    maxServers: 1e6,
    maxBots: 1e6,
    maxBackups: 1e6,
  },
};

// Object.entries widens the names; they are the contract's own.
const entries = Object.entries(endpoints) as [EndpointName, Endpoint][];
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const parts = ['params', 'query', 'body'] as const;

/** What is for sale is for everybody to see. */
const isForeign = (field: string, value: unknown): boolean =>
  field !== 'listingId' && typeof value === 'string' && uuidPattern.test(value);

/** The owner's own request once for each id in it, that id replaced by the stranger's. */
const withForeignIds = (own: Sample, foreign: Sample): [string, Sample][] =>
  parts.flatMap((part) =>
    Object.entries(own[part] ?? {})
      .filter(([field, value]) => isForeign(field, value))
      .map(([field]): [string, Sample] => [
        field,
        { ...own, [part]: { ...own[part], [field]: foreign[part]?.[field] } },
      ]),
  );

const send = (browser: DashboardBrowser, name: EndpointName, sample: Sample) => {
  const { method, path } = endpoints[name];
  const filled = path.replace(/:(\w+)/g, (_, param: string) => sample.params?.[param] ?? '');
  const query = new URLSearchParams(sample.query).toString();
  const body = sample.file ? formWith(sample.file) : sample.body;
  return browser.call(method, `${filled}${query && `?${query}`}`, { body });
};

describe('through the dashboard', () => {
  // An account is deleted by itself: see account-deletion.
  test.each(entries.filter(([name]) => name !== 'deleteAccount'))(
    '%s does what is asked for one’s own, and finds nothing of another’s',
    async (name, entry) => {
      const { browser } = await session();
      const [own, foreign] = [await samples[name](owner), await samples[name](stranger)];
      for (const [field, sample] of withForeignIds(own, foreign)) {
        const { status, body } = await send(browser, name, sample);
        expect([field, status, Object.keys(body)]).toEqual([field, 404, ['error']]);
      }
      expect((await send(browser, name, own)).status).toBe(entry.status);
    },
  );

  test('no list shows anything of another owner', async () => {
    const { browser } = await signInToDashboard(fixture);
    for (const path of ['/servers', '/bots', '/blacklist', '/keys', '/marketplace/orders']) {
      expect([path, (await browser.call('GET', path)).body.data]).toEqual([path, []]);
    }
    const overview = await browser.call('GET', '/overview');
    expect(overview.body.data.servers).toEqual([]);
  });
});

/** One for all: there is a limit to sign-ins, and more requests than a session has are not made. */
let known: ReturnType<typeof signInToDashboard> | undefined;
const session = () => {
  known ??= signInToDashboard(fixture, owner.platformId);
  return known;
};
