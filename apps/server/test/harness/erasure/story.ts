import type { LogRow } from '@holdfast/simulator';
import { newPageBrowser } from '../browser/page-browser.ts';
import { eventually } from '../eventually.ts';
import { startPlatformProxy } from '../network/platform-proxy.ts';
import { startTestService } from '../service.ts';
import { startTestSimulator } from '../simulator/start.ts';
import { newVerificationServer, walkIn } from '../verification/newcomer.ts';
import { createErasureFixture, type Person } from './fixture.ts';
import { usualBaseUrl } from './people.ts';

/** A held call may be answered instead of being passed on to the platform. */
type Hold = {
  matches(request: Request): boolean;
  reached(): void;
  released: Promise<Response | undefined>;
};

/** The whole application with its worker; calls to the platform can be held. */
export const startErasureStory = async () => {
  const simulator = await startTestSimulator();
  const holds = new Set<Hold>();
  const proxy = startPlatformProxy(simulator.apiUrl, async (request) => {
    for (const hold of holds) {
      if (!hold.matches(request)) continue;
      hold.reached();
      return hold.released;
    }
    return undefined;
  });
  const service = await startTestService({ platformApiUrl: proxy.apiUrl, doesWork: true });

  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const reply = await service.call(method, path, { headers, raw: body ?? undefined });
    return new Response(reply.text === '' ? null : reply.text, reply);
  };
  const fixture = createErasureFixture({ service, simulator, send });
  const browse = async (request: Request): Promise<Response> => {
    const { method, headers, url } = request;
    const { pathname, search } = new URL(url);
    const body = method === 'GET' ? undefined : await request.text();
    return send(pathname + search, { method, headers, body });
  };
  const sinceSeq = async (seq: number): Promise<LogRow[]> =>
    simulator.control('GET', `/log?since=${seq}`);

  return {
    ...{ service, simulator, fixture },

    /** A server and a verified person whose data is in every section of its guild. */
    async newPersonOnServer() {
      const person = await fixture.newPerson();
      const {
        owner: tenant,
        id: serverId,
        guildId,
      } = await newVerificationServer({ service, simulator });
      const server = { tenant, serverId, guildId };
      const put = await fixture.putEverywhere(server, person);
      await this.verify(server, person);
      return { person, server, ...put };
    },

    async verify({ serverId }: { serverId: string }, { platformId }: Person) {
      const browser = newPageBrowser(browse, usualBaseUrl);
      const page = await walkIn(browser, { id: serverId }, platformId);
      if (page.status !== 200) throw new Error(`Not verified: ${page.status} ${page.text}`);
      return page.text;
    },

    /** Holds up every such call to the platform; `reached` tells of the first. */
    hold(matches: Hold['matches']) {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<Response | undefined>();
      const hold = { matches, reached: reached.resolve, released: released.promise };
      holds.add(hold);
      return {
        reached: reached.promise,
        release(answer?: Response) {
          holds.delete(hold);
          released.resolve(answer);
        },
      };
    },

    /** What the platform is asked from now on that names the person. */
    async watchCallsNaming({ platformId }: Person) {
      const last = (await sinceSeq(0)).at(-1)?.seq ?? 0;
      return async () =>
        (await sinceSeq(last))
          // What the platform answers about its own members is not ours to leave out.
          .filter(({ answer: _, ...sent }) => JSON.stringify(sent).includes(platformId))
          .map(({ method, path }) => `${method} ${path}`);
    },

    /** The states of an account's jobs of that name; those of the queue's own tables. */
    async jobsOf(name: string, field: 'accountId' | 'backupId', id: string): Promise<string[]> {
      const rows: { state: string }[] = await service.db.$client`
        select state from pgboss.job where name = ${name} and data ->> ${field} = ${id}`;
      return rows.map(({ state }) => state);
    },

    /** All redactions that were asked for have run. */
    redactionsEnded(accountId: string) {
      return eventually(20_000, async () => {
        const states = await this.jobsOf('backups.redact', 'accountId', accountId);
        if (states.some((state) => state !== 'completed')) throw new Error(states.join());
        return states.length;
      });
    },

    async stop() {
      await service.stop();
      await proxy.stop();
      await simulator.stop();
    },
  };
};

export type ErasureStory = Awaited<ReturnType<typeof startErasureStory>>;
