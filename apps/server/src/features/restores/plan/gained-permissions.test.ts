import { expect, setDefaultTimeout, test } from 'bun:test';
import { dangerousPermissions } from '@holdfast/contract';
import fc from 'fast-check';
import {
  arbitraryGuild,
  BOT,
  everyComponent,
  snapshotOf,
  type TestGuild,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { arbitraryDamage, damageGuild } from '../../../../test/harness/guilds/damage.ts';
import { newChannel } from '../../../../test/harness/guilds/parts.ts';
import { guildId, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { runOnModel } from '../../../../test/harness/restores/run-on-model.ts';
import { tries } from '../../../../test/harness/tries.ts';
import type { Role } from '../../../platform/guild.ts';
import {
  dangerous,
  dangerousNames,
  includes,
  neverMatchedByName,
  permission,
} from '../../../platform/permissions.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { limitToTemplate } from '../../backups/snapshot/template.ts';
import { planRestore } from './plan-restore.ts';

// Properties are tried hundreds of times, and machines differ.
setDefaultTimeout(180_000);

const size = { channels: 8, roles: 6 };
const foreignGuild = arbitraryGuild(size, '800000000000000000');
const runs = tries(40);

const planFor = (snapshot: Snapshot, target: TestGuild, components = everyComponent) =>
  planRestore({ snapshot, current: structuredClone(target), components, bot: BOT });

const bitsOf = (role: Role | undefined): bigint => BigInt(role?.permissions ?? 0);

/** All that a role may do anywhere in a server, by its own permissions or by a channel's. */
const powerOf = ({ channels }: TestGuild, role: Role, wanted: bigint): bigint => {
  const allowed = channels.flatMap(({ overwrites }) =>
    overwrites.filter(({ id, kind }) => kind === 'role' && id === role.id),
  );
  const all = allowed.reduce((bits, { allow }) => bits | BigInt(allow), bitsOf(role));
  return includes(all, permission.administrator) ? wanted : all & wanted;
};

const gainsOf = (before: TestGuild, after: TestGuild, wanted = dangerous) =>
  before.roles.flatMap((role) => {
    const now = after.roles.find(({ id }) => id === role.id);
    const gained = now
      ? powerOf(after, now, wanted) & ~powerOf(before, role, wanted) & ~bitsOf(role)
      : 0n;
    return gained === 0n ? [] : [{ role, gained }];
  });

const expectTold = (before: TestGuild, after: TestGuild, warnings: string[]) => {
  for (const { role, gained } of gainsOf(before, after)) {
    const who = role.id === before.guildId ? '@everyone' : `Role ${role.name}`;
    const told = warnings.filter((words) => words.startsWith(`${who} gains`)).join();
    const isAdministrator = told.includes('ADMINISTRATOR');
    for (const name of dangerousNames(gained)) {
      if (!isAdministrator) expect(told).toContain(name);
    }
  }
};

/** Roles that are the backup's by their name alone. */
const namesakesOf = (before: TestGuild, roles: Record<string, string>) =>
  before.roles.filter(
    ({ id, isManaged }) => !isManaged && id !== before.guildId && Object.values(roles).includes(id),
  );

test('whatever dangerous permission a role gains by a restore, the plan says so', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(size), arbitraryDamage, async (backup, blows) => {
      const target = damageGuild(backup, blows);
      const plan = planFor(snapshotOf(backup), target);
      const { state } = await runOnModel(plan, backup, target);
      expectTold(target, state, plan.warnings);
    }),
    runs,
  );
});

test('the same holds in another server, where a role of the same name gains nothing and @everyone is named', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(size), foreignGuild, async (backup, target) => {
      const plan = planFor(snapshotOf(backup), target);
      const { state } = await runOnModel(plan, backup, target);
      expectTold(target, state, plan.warnings);
      const namesakes = namesakesOf(target, plan.idMap.roles);
      const gained = gainsOf(target, state, neverMatchedByName).map(({ role }) => role);
      expect(namesakes.filter((role) => gained.includes(role))).toEqual([]);
    }),
    runs,
  );
});

test('a template gives nobody a dangerous permission, whatever its objects hold', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryGuild(size), foreignGuild, async (tampered, target) => {
      const snapshot = await limitToTemplate(snapshotOf(tampered));
      const overwrites = snapshot.channels?.flatMap((channel) => channel.overwrites) ?? [];
      expect(overwrites.filter(({ kind }) => kind !== 'role')).toEqual([]);
      const seen = { ...tampered, roles: snapshot.roles ?? [], channels: snapshot.channels ?? [] };
      const plan = planFor(snapshot, target);
      const { state, idMap } = await runOnModel(plan, seen, target);
      expect(gainsOf(target, state)).toEqual([]);
      expect(plan.warnings.filter((words) => words.includes('gains'))).toEqual([]);
      const before = new Set(target.roles.map(({ id }) => id));
      const made = state.roles.filter(({ id }) => !before.has(id));
      expect(made.filter((role) => (bitsOf(role) & dangerous) !== 0n)).toEqual([]);
      const newIds = new Set(Object.values(idMap.channels));
      const allowed = state.channels
        .filter(({ id }) => newIds.has(id))
        .flatMap(({ overwrites }) => overwrites)
        .filter(({ id, allow }) => id !== BOT.userId && (BigInt(allow) & dangerous) !== 0n);
      expect(allowed).toEqual([]);
      expect(state.members).toEqual(withoutGoneRoles(target, state));
      expect(state.bans).toEqual(target.bans);
    }),
    runs,
  );
});

const withoutGoneRoles = ({ members }: TestGuild, { roles }: TestGuild) =>
  members.map((member) => ({
    ...member,
    roleIds: member.roleIds.filter((held) => roles.some(({ id }) => id === held)),
  }));

test('permissions that a role gains in channels are named with the channels, those it has already are not', () => {
  const manage = permission.manageMessages.toString();
  const allow = (id: string) => [{ id, kind: 'role' as const, allow: manage, deny: '0' }];
  const backup = smallGuild();
  backup.channels = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) =>
    newChannel({ id: `31${index}`, kind: 'text', name, overwrites: allow('201') }),
  );
  const target = smallGuild();
  expect(planFor(snapshotOf(backup), target).warnings).toEqual([
    'Role Member gains dangerous permissions in #a, #b, #c, #d, #e and 1 more: MANAGE_MESSAGES.',
  ]);
  expect(planFor(snapshotOf(backup), backup).warnings).toEqual([]);
});

test('@everyone and each role have a warning of their own, with the contract’s names', () => {
  const backup = smallGuild();
  const give = (id: string, bits: bigint) => {
    const role = backup.roles.find((one) => one.id === id);
    if (role) role.permissions = (BigInt(role.permissions) | bits).toString();
  };
  give(guildId, permission.mentionEveryone);
  give('201', dangerous);
  expect(planFor(snapshotOf(backup), smallGuild()).warnings).toEqual([
    '@everyone gains dangerous permissions: MENTION_EVERYONE.',
    `Role Member gains dangerous permissions: ${dangerousPermissions.join(', ')}.`,
  ]);
});
