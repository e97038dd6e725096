import { describe, expect, test } from 'bun:test';
import { dashboardEndpoints, type Endpoint, endpoints } from './index.ts';

/** Decisions 5, 8, 11, 12, 13 and 14: the scope of each endpoint. */
const decided = new Set(
  `GET /account account:read | DELETE /account account:delete | GET /bots bots:read | POST /bots bots:write
  PUT /bots/:id bots:write | DELETE /bots/:id bots:delete | GET /servers servers:read
  POST /servers servers:write | GET /servers/:id servers:read | PUT /servers/:id servers:write
  DELETE /servers/:id servers:delete | GET /servers/:id/members members:read
  GET /servers/:id/backups backups:read | POST /servers/:id/backups backups:write
  GET /servers/:id/backups/:backupId backups:read
  DELETE /servers/:id/backups/:backupId backups:write | POST /servers/:id/health/accept backups:write
  GET /servers/:id/backups/:backupId/contents backups:read
  GET /servers/:id/backups/:backupId/compare backups:read
  GET /servers/:id/backups/:backupId/document backups:read
  GET /servers/:id/backups/:backupId/images backups:read
  POST /servers/:id/backups/import backups:write
  POST /servers/:id/backups/import/pieces backups:write
  POST /servers/:id/backups/:backupId/plan backups:read
  POST /servers/:id/backups/:backupId/restore backups:restore | GET /restores/:id backups:read
  POST /restores/:id/cancel backups:restore | POST /servers/:id/pull members:pull
  GET /servers/:id/pulls members:read | GET /pulls/:id members:read
  POST /pulls/:id/cancel members:pull | POST /pulls/:id/resume members:pull
  POST /pulls/:id/recall members:pull | GET /servers/:id/firewall firewall:read
  POST /servers/:id/mass-verify members:mass-verify
  GET /servers/:id/mass-verifications members:read
  GET /mass-verifications/:id members:read
  POST /mass-verifications/:id/cancel members:mass-verify
  GET /servers/:id/panels panels:read | POST /servers/:id/panels panels:write
  PUT /servers/:id/panels/:panelId panels:write | DELETE /servers/:id/panels/:panelId panels:write
  POST /servers/:id/firewall firewall:write | DELETE /servers/:id/firewall firewall:write
  GET /servers/:id/whitelist whitelist:read | POST /servers/:id/whitelist whitelist:write
  DELETE /servers/:id/whitelist whitelist:write | POST /servers/:id/blacklist blacklist:write
  GET /blacklist blacklist:read | DELETE /blacklist blacklist:write
  GET /servers/:id/analytics analytics:read | GET /servers/:id/appeals members:read
  POST /servers/:id/appeals/:appealId members:write | GET /marketplace/listings marketplace:read
  POST /marketplace/listings marketplace:write | PUT /marketplace/listings/:id marketplace:write
  GET /marketplace/orders marketplace:read | POST /marketplace/orders marketplace:write
  GET /marketplace/orders/:id marketplace:read
  POST /marketplace/orders/:id/cancel marketplace:write
  POST /marketplace/orders/:id/deliver marketplace:write
  POST /marketplace/orders/:id/confirm marketplace:write
  POST /marketplace/orders/:id/decline marketplace:write
  POST /marketplace/payouts marketplace:payout | GET /billing/ledger billing:read
  POST /billing/invoices billing:write | POST /billing/subscription billing:write
  DELETE /billing/subscription billing:write | POST /billing/subscription/resume billing:write
  GET /billing/events billing:read | GET /audit audit:read
  GET /servers/:id/protection servers:read | PUT /servers/:id/protection servers:write
  GET /servers/:id/incidents alerts:read | GET /incidents/:id alerts:read
  POST /incidents/:id/return-roles alerts:write | POST /incidents/:id/dismiss alerts:write
  DELETE /incidents/:id/pending alerts:write
  GET /incidents/:id/repair-plan backups:read | POST /incidents/:id/repair backups:restore
  GET /alerts alerts:read | POST /alerts/read alerts:write
  GET /alerts/settings alerts:read | PUT /alerts/settings alerts:write
  GET /keys api-keys:read | POST /keys api-keys:write | DELETE /keys/:id api-keys:write
  POST /uploads upload:write | GET /servers/:id/verify-page verify-page:read
  PUT /servers/:id/verify-page verify-page:write`
    .split(/[|\n]/)
    .map((line) => line.trim()),
);

describe('endpoints', () => {
  const entries: Endpoint[] = Object.values(endpoints);
  const routeOf = ({ method, path }: Endpoint) => `${method} ${path}`;

  test('no two have the same method and path', () => {
    const routes = entries.map((entry) => routeOf(entry).replace(/:\w+/g, ':'));
    expect(new Set(routes).size).toBe(entries.length);
  });

  test.each(entries.map((entry) => [routeOf(entry), entry] as const))(
    '%s needs the decided scope and has the parameters of its path',
    (route, { scope, path, params }) => {
      expect([...decided]).toContain(`${route} ${scope}`);
      const named = [...path.matchAll(/(?<=:)\w+/g)].map(([parameter]) => parameter);
      expect(Object.keys(params?.shape ?? {})).toEqual(named);
    },
  );
});

/** What a body is told of one of its fields. */
const complaintsOf = ({ body }: Endpoint, field: string, value: unknown): string[] =>
  (body?.safeParse({ [field]: value }).error?.issues ?? [])
    .filter(({ path }) => path[0] === field)
    .map(({ message }) => message);

describe('names and titles that a body gives', () => {
  const given = Object.entries<Endpoint>({ ...endpoints, ...dashboardEndpoints }).flatMap(
    ([operation, entry]) =>
      ['name', 'title']
        .filter((field) => complaintsOf(entry, field, 7).length > 0)
        .map((field) => [operation, field, entry] as const),
  );

  test('are known', () => {
    expect(given.length).toBeGreaterThan(10);
  });

  test.each(given)('of %s: a %s that shows nothing is refused', (_, field, entry) => {
    expect(complaintsOf(entry, field, 'x')).toEqual([]);
    for (const unseen of ['\u200b', '\u2800', '\u0301', ' \u3164 ']) {
      expect(complaintsOf(entry, field, unseen)).toEqual(['Must have a visible character']);
    }
  });
});
