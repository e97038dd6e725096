import { expect } from 'bun:test';
import { createBackupFixture, type OwnedGuild } from '../backups/fixture.ts';
import { eventually } from '../eventually.ts';
import type { Tenant, TestService } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';
import { createListing, orderOf, placeOrder } from './fixture.ts';

const underWay = ['PAID', 'FULFILLING'];

/** Sellers with a backup to make a template from, and buyers with a server to deliver it to. */
export const createTemplateFixture = (service: TestService, simulator: TestSimulator) => {
  const backups = createBackupFixture(service, simulator);

  const newSource = async (guild?: object, owner?: Tenant) => {
    const server = await backups.newServer(guild, owner);
    const backup = await backups.takeBackup(server);
    expect(backup.status).toBe('completed');
    return { ...server, backupId: String(backup.id) };
  };

  return {
    backups,
    newSource,

    /** A template of a plausible community, for so many cents. */
    async newTemplate(priceCents: number, guild?: object) {
      const source = await newSource(guild);
      const { tenant, backupId } = source;
      const listing = await createListing(tenant, { category: 'TEMPLATE', priceCents, backupId });
      return { ...source, seller: tenant, listingId: String(listing.id) };
    },

    order: (buyer: OwnedGuild, listingId: string, payWith = 'BALANCE') =>
      placeOrder(buyer.tenant, listingId, { serverId: buyer.serverId, payWith }),

    ended: (buyer: Tenant, orderId: string) =>
      eventually(30_000, async () => {
        const order = await orderOf(buyer, orderId);
        expect(order.status).not.toBeOneOf(underWay);
        return order;
      }),

    async delivered({ tenant, serverId }: OwnedGuild) {
      const { data } = (await tenant.call('GET', backups.backupsOf(serverId))).body;
      return data.filter(({ kind }: { kind: string }) => kind === 'MARKETPLACE');
    },
  };
};

export type TemplateFixture = ReturnType<typeof createTemplateFixture>;
