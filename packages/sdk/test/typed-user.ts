/** What the compiler must accept and reject, with the source and with the built package. */
import {
  createHoldfast,
  type Entry,
  HoldfastError,
  HoldfastJobFailed,
  type Input,
  type Output,
  type PaginatedName,
  type RateLimit,
} from '@holdfast/sdk';

type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const expectSame = <_IsSame extends true>(): void => undefined;

export const answers = async (): Promise<void> => {
  const holdfast = createHoldfast({ baseUrl: 'http://localhost:3000' });

  const account = await holdfast.getAccount();
  expectSame<Same<typeof account.createdAt, string>>();
  expectSame<Same<typeof account.plan, 'FREE' | 'PREMIUM' | 'BUSINESS' | 'ENTERPRISE'>>();

  const servers = await holdfast.listServers({ query: { page: 2, limit: 5 } });
  expectSame<Same<typeof servers.pagination.total, number>>();
  expectSame<Same<typeof servers.data, Entry<'listServers'>[]>>();

  await holdfast.getAccount({
    onResponse: ({ status, rateLimit }) => {
      expectSame<Same<typeof status, number>>();
      expectSame<Same<typeof rateLimit, RateLimit | undefined>>();
    },
  });

  const params = { id: account.id };
  const query = { pullable: true, search: 'a' };
  for await (const member of holdfast.listMembers.all({ params, query })) {
    expectSame<Same<typeof member.asn, number | null>>();
  }
  // `all` relies on it to skip duplicates.
  expectSame<Entry<PaginatedName> extends { id: string } ? true : false>();

  const begun = await holdfast.createBackup({ params, idempotencyKey: 'a', signal: undefined });
  expectSame<Same<typeof begun, Output<'getBackup'>>>();
  const { status } = await holdfast.waitForBackup(begun);
  expectSame<Same<typeof status, 'completed'>>();
  const restored = await holdfast.waitForRestore({ id: begun.id });
  expectSame<Same<typeof restored.status, 'completed' | 'partial'>>();
  const pulled = await holdfast.waitForPull({ id: begun.id });
  expectSame<Same<typeof pulled.results.joined, number>>();
};

export const errors = (error: unknown): void => {
  if (error instanceof HoldfastJobFailed) expectSame<Same<typeof error.record.id, string>>();
  if (!(error instanceof HoldfastError)) return;
  expectSame<Same<typeof error.requiredScope, string | undefined>>();
  if (error.is('missingScope')) expectSame<Same<typeof error.requiredScope, string>>();
  if (error.is('invalidInput')) expectSame<Same<typeof error.details.formErrors, string[]>>();
  if (error.is('cooldown')) expectSame<Same<typeof error.nextPullAt, string>>();
};

export const mistakes = async (): Promise<void> => {
  const holdfast = createHoldfast({ baseUrl: 'http://localhost:3000' });
  const rule: Input<'createFirewallRule'>['body'] = { type: 'ASN', value: '64500' };

  // @ts-expect-error: there is no such operation
  await holdfast.listShips();
  // @ts-expect-error: only a session of the dashboard has it
  await holdfast.getOverview();
  // @ts-expect-error: which server?
  await holdfast.getServer();
  // @ts-expect-error: its path has another parameter
  await holdfast.getServer({ params: { serverId: 'a' } });
  // @ts-expect-error: an account is not searched
  await holdfast.getAccount({ query: { search: 'a' } });
  // @ts-expect-error: there is no such type of rule
  await holdfast.createFirewallRule({ params: { id: 'a' }, body: { ...rule, type: 'SHIP' } });
  // @ts-expect-error: a body that must be there
  await holdfast.createServer({});
  // @ts-expect-error: a page is a number
  await holdfast.listServers({ query: { page: '2' } });
  // @ts-expect-error: only a POST is kept for a repeat
  await holdfast.getAccount({ idempotencyKey: 'a' });
  // @ts-expect-error: bots are listed whole
  holdfast.listBots.all();
  // @ts-expect-error: a backup is found by its server too
  await holdfast.waitForBackup({ id: 'a' });
};
