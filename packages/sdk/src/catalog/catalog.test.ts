import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Endpoint, endpoints } from '@holdfast/contract';
import { createHoldfast } from '../index.ts';
import { commandOf, resourcesOf } from './command.ts';
import { catalog, fieldsOf, type JsonSchema } from './index.ts';

const entryOf = (name: keyof typeof endpoints): Endpoint => endpoints[name];
const named = (name: string) => {
  const found = catalog.find((operation) => operation.name === name);
  if (!found) throw new Error(`${name} is not in the catalog`);
  return found;
};

describe('the catalog', () => {
  test('has every operation of the contract, each of them a method of the client', () => {
    const names = catalog.map(({ name }) => name);
    expect(names.map(String)).toEqual(Object.keys(endpoints));
    expect(createHoldfast({ baseUrl: 'http://localhost' })).toContainKeys(names);
  });

  test('describes the same fields as the contract, with no reference left open', () => {
    for (const { name, params, query, body, outputSchema } of catalog) {
      const entry = entryOf(name);
      const namesOf = (part: JsonSchema | undefined) => fieldsOf(part).map((field) => field.name);
      expect(namesOf(params)).toEqual(Object.keys(entry.params?.shape ?? {}));
      expect(namesOf(query)).toEqual(Object.keys(entry.query?.shape ?? {}));
      expect(namesOf(body).length > 0).toBe(entry.body !== undefined);
      expect(Object.keys(outputSchema)).not.toBeEmpty();
      expect(JSON.stringify({ params, query, body, outputSchema })).not.toContain('$ref');
    }
  });

  test('says which fields a call must have', () => {
    const { query, body, isBodyOptional } = named('createOrder');
    const required = fieldsOf(body).filter(({ isRequired }) => isRequired);
    expect(required.map(({ name }) => name)).toEqual(['listingId']);
    expect({ query, isBodyOptional }).toEqual({ query: undefined, isBodyOptional: false });
  });

  test('knows which operations start a job that the client can wait for', () => {
    const jobs = catalog.flatMap(({ name, startsJob }) => (startsJob ? [[name, startsJob]] : []));
    expect(Object.fromEntries(jobs)).toEqual({
      createBackup: 'backup',
      acceptHealth: 'backup',
      importBackup: 'backup',
      restoreBackup: 'restore',
      repairIncident: 'restore',
      createPull: 'pull',
      resumePull: 'pull',
    });
  });

  test('brings neither zod nor the contract into a bundle', async () => {
    const entrypoints = [join(import.meta.dir, 'index.ts')];
    const { outputs } = await Bun.build({ entrypoints, target: 'browser' });
    const script = await outputs[0]?.text();
    expect(script).toContain('createBackup');
    expect(script).not.toMatch(/_zod|ZodObject|openApiDocument/);
  });
});

describe('what an operation does', () => {
  test('is to read for every GET and for the preview of a restore', () => {
    const reads = catalog.filter(({ isReadOnly }) => isReadOnly);
    const notByMethod = reads.filter(({ method }) => method !== 'GET');
    expect(notByMethod.map(({ name }) => name)).toEqual(['planRestore']);
    expect(catalog.filter(({ method }) => method === 'GET')).toBeArrayOfSize(reads.length - 1);
  });

  test('is to destroy where something is deleted, replaced or given up', () => {
    const destructive = catalog.filter(({ isDestructive }) => isDestructive);
    expect(destructive.map(({ name }) => name).toSorted()).toEqual([
      'cancelMassVerification',
      'cancelOrder',
      'cancelPull',
      'cancelRestore',
      'cancelSubscription',
      'declineOrder',
      'deleteAccount',
      'deleteBackup',
      'deleteBlacklistEntry',
      'deleteBot',
      'deleteFirewallRule',
      'deleteKey',
      'deletePanel',
      'deleteServer',
      'deleteWhitelistRule',
      'repairIncident',
      'restoreBackup',
    ]);
  });

  test('is guarded where it destroys, or where the dashboard asks for the second factor', () => {
    for (const { name, isDestructive, isGuarded } of catalog) {
      const asksForCode = entryOf(name).freshSecondFactor !== 'never';
      expect([name, isGuarded]).toEqual([name, isDestructive || asksForCode]);
    }
    expect(named('updateServer').isGuarded).toBe(true);
    expect(named('createPayout').isGuarded).toBe(true);
    expect(named('createBackup').isGuarded).toBe(false);
  });

  test('is to show a secret once where a key or an invite is made', () => {
    const secret = catalog.filter(({ showsSecret }) => showsSecret);
    expect(secret.map(({ name }) => name)).toEqual(['recallPull', 'createKey']);
  });

  test('has the same effect when repeated, unless it is a POST that changes something', () => {
    for (const { method, isReadOnly, isIdempotent } of catalog) {
      expect(isIdempotent).toBe(method !== 'POST' || isReadOnly);
    }
  });
});

describe('the command of an operation', () => {
  test('is a group and a verb that no other operation has', () => {
    const commands = catalog.map(({ command }) => command.join(' '));
    expect(new Set(commands).size).toBe(catalog.length);
    for (const command of commands) expect(command).toMatch(/^[a-z]+(-[a-z]+)* [a-z]+(-[a-z]+)*$/);
  });

  test.each([
    ['listServers', 'servers list'],
    ['createBackup', 'backups create'],
    ['getBackupContents', 'backups contents'],
    ['restoreBackup', 'backups restore'],
    ['planRestore', 'restores plan'],
    ['createPull', 'pulls create'],
    ['createFirewallRule', 'firewall create'],
    ['listBlacklist', 'blacklist list'],
    ['createMassVerification', 'mass-verifications create'],
    ['updateAlertSettings', 'alerts update-settings'],
    ['listBillingEvents', 'billing events'],
    ['returnRoles', 'incidents return-roles'],
    ['getVerifyPage', 'verify-page get'],
  ])('of %s is %s', (name, command) => {
    expect(named(name).command.join(' ')).toBe(command);
  });

  test('takes the longest resource that a name begins with', () => {
    const resources = resourcesOf(['/a/:id/alerts', '/alert-settings/:id']);
    expect(commandOf('getAlertSettings', '/x', resources)).toEqual(['alert-settings', 'get']);
  });
});
